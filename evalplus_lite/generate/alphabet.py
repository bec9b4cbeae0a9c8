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


def widen(counts: Mapping[str, int]) -> str:
    """Return the characters that text may hold if these, this often, were all seen in it.

    A letter or digit stands for its class, unless so few of the class came up so often that it
    looks closed; any other character stands only for itself.
    """
    allowed = set(counts)
    for members in CLASSES:
        seen = [character for character in counts if character in members]
        total = sum(counts[character] for character in seen)
        is_closed = len(seen) <= len(members) * _CLOSED_SHARE and total >= _CLOSED_REPEATS * len(
            seen
        )
        if seen and not is_closed:
            allowed.update(members)
    return "".join(sorted(allowed))
