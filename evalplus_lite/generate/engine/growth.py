"""Sizes: how large the numbers and lengths of inputs are, and how far they may go on growing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.types import Value

_FIRST_REACH = 10_000
_REACH_GROWTH = 1_000
_LAST_REACH = 10**19
_FIRST_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Extent:
    """How far from zero numbers may be, and how long texts and containers, for the time being.

    ``floor`` is the largest number that a base input held: the reach never falls below it.
    """

    reach: float
    longest: int
    floor: float
    has_slowed: bool = False

    @classmethod
    def of(cls, base: Sequence[Sequence[Value]]) -> Extent:
        """Return where to start from: beyond the base inputs, but not far."""
        largest = max((largest_number(each) for each in base), default=0.0)
        longest = max((longest_size(each) for each in base), default=0)
        return cls(max(10 * largest, _FIRST_REACH), max(2 * longest, _FIRST_LONGEST), largest)

    def after(self, kept: Sequence[Sequence[Value]], slow: Sequence[Sequence[Value]]) -> Extent:
        """Return the extent after a batch: smaller than what was slow, else larger step by step."""
        if slow:
            number = min(map(largest_number, slow))
            size = min(map(longest_size, slow))
            return replace(
                self,
                reach=max(self.floor, min(self.reach, number // 2), 10),
                longest=max(_FIRST_LONGEST // 4, min(self.longest, size - 1))
                if size
                else self.longest,
                has_slowed=True,
            )
        if self.has_slowed or self.reach >= _LAST_REACH:
            return self
        if any(largest_number(each) * 10 >= self.reach for each in kept):
            return replace(self, reach=min(self.reach * _REACH_GROWTH, _LAST_REACH))
        return self


def largest_number(value: Value) -> float:
    """Return the largest distance from zero of the finite ints and floats within a value, or 0."""
    kind = type(value)
    if kind is int:
        return abs(value)  # type: ignore[no-any-return] # an int
    if kind is float:
        return abs(value) if math.isfinite(value) else 0.0
    return max((largest_number(part) for part in _parts(kind, value)), default=0)


def longest_size(value: Value) -> int:
    """Return the length of the longest text or container within a tuple of arguments, or 0."""
    return max((_longest(part) for part in value), default=0)


def _longest(value: Value) -> int:
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value)
    parts = _parts(kind, value)
    return max((len(value), *map(_longest, parts))) if parts else 0


def _parts(kind: type, value: Any) -> list[Value]:
    if kind is dict:
        return [*value, *value.values()]
    return list(value) if kind in (list, tuple, set, frozenset) else []
