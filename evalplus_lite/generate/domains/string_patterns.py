"""String patterns: the tokens that strings consist of, and what several strings have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

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
