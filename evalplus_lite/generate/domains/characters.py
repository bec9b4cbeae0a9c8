"""Characters: the ASCII classes that observed text belongs to, and how far it may be widened."""

from __future__ import annotations

import string
from collections.abc import Mapping

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
