"""Characters: the ASCII classes that observed text belongs to, and how far it may be widened."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Mapping

# String patterns: the tokens that strings consist of, and what several strings have in common.

ENOUGH = 3
"""A pattern must have held for this many distinct strings."""

_COMMON = 0.3
"""A pattern is common if this share of the strings has it."""
_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|\s+|.")


def tokens(text: str) -> list[str]:
    """Return the text cut into runs of digits, letters and blanks, and single other characters."""
    return _RUNS.findall(text)


def token_kind(token: str) -> str:
    """Return ``digits``, ``letters``, ``blanks``, or the character itself."""
    first = token[:1]
    if first.isascii():
        if first.isdigit():
            return "digits"
        if first.isalpha():
            return "letters"
        if first.isspace():
            return "blanks"
    return first


def pattern_of(values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the kinds of token that all strings share, if they are compound."""
    patterns = {tuple(map(token_kind, tokens(value))) for value in values}
    if len(patterns) != 1:
        return None
    (pattern,) = patterns
    return pattern if len(pattern) > 1 else None


def has_common_pattern(values: tuple[str, ...]) -> bool:
    """Return whether a compound pattern is common among the strings."""
    patterns = Counter(tuple(map(token_kind, tokens(value))) for value in values)
    pattern, times = max(patterns.items(), key=lambda item: item[1])
    return len(pattern) > 2 and times >= ENOUGH and times >= _COMMON * len(values)


def words_of(values: tuple[str, ...], known: Collection[str]) -> frozenset[str] | None:
    """Return the vocabulary, if every word seen is one of the reference's string constants."""
    words = {word for value in values for word in value.split()}
    vocabulary = frozenset(each for each in known if len(each.split()) == 1)
    is_closed = (
        len(words) >= ENOUGH and words <= vocabulary and any(len(word) > 1 for word in words)
    )
    return vocabulary if is_closed else None


PRINTABLE = "".join(map(chr, range(32, 127)))
"""Printable ASCII: the widest alphabet that text is given without having been seen in it."""

CLASSES: tuple[str, ...] = (
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits,
)
"""The classes within which an unseen character is as good as a seen one."""

BRACKETS: tuple[str, ...] = ("()", "[]", "{}", "<>")

# A class is taken for closed (say, the binary digits) where at most this share of it was seen,
# although each character seen came up this often on average.
_CLOSED_SHARE = 1 / 3
_CLOSED_REPEATS = 4


def closed(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the classes of which so few characters came up so often that they look closed."""
    found = []
    for members in CLASSES:
        times = [count for character, count in counts.items() if character in members]
        is_few = 0 < len(times) <= len(members) * _CLOSED_SHARE
        if is_few and sum(times) >= _CLOSED_REPEATS * len(times):
            found.append(members)
    return tuple(found)


def widen(counts: Mapping[str, int], *, keep_closed: bool = True) -> str:
    """Return the characters that text may hold if these, this often, were all seen in it.

    A letter or digit stands for its class, unless (with ``keep_closed``) that looks closed; any
    other character stands only for itself.
    """
    narrow = closed(counts) if keep_closed else ()
    allowed = set(counts)
    for members in CLASSES:
        if members not in narrow and any(character in members for character in counts):
            allowed.update(members)
    return "".join(sorted(allowed))
