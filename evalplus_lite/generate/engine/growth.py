"""Growth: how large the numbers and lengths of inputs are, and how far they may still grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE

# Five steps of a thousand lead from the first bound to the last, beyond signed 64-bit integers.
_FIRST_MAGNITUDE = 10_000
_MAGNITUDE_GROWTH = 1_000
_LAST_MAGNITUDE = 10**19
_FIRST_SIZE = 64


@dataclass(frozen=True, slots=True)
class GrowthLimits:
    """How far from zero numbers may be, and how long strings and containers, in the next batch.

    ``floor`` is the largest number in a base input: the bound never falls below it.
    """

    max_magnitude: float
    max_size: int
    floor: float
    has_slowed: bool = False

    @classmethod
    def of(cls, base: Sequence[Sequence[Value]]) -> GrowthLimits:
        """Return the initial limits: beyond the base inputs, but not far."""
        largest = max((largest_magnitude(each) for each in base), default=0.0)
        max_size = max((largest_size(each) for each in base), default=0)
        # The minima are for tasks whose examples are tiny.
        return cls(max(10 * largest, _FIRST_MAGNITUDE), max(2 * max_size, _FIRST_SIZE), largest)

    def after(
        self, accepted: Sequence[Sequence[Value]], slow: Sequence[Sequence[Value]]
    ) -> GrowthLimits:
        """Return the limits after a batch: below what was slow, else raised step by step."""
        if slow:
            # The cause of slowness is unknown: a number or a length. So both are lowered, the
            # number to half of the smallest that was slow, the length to one less.
            number = min(map(largest_magnitude, slow))
            size = min(map(largest_size, slow))
            return replace(
                self,
                # Never below what a base input has: the task vouches for those.
                max_magnitude=max(self.floor, min(self.max_magnitude, number // 2), 10),
                max_size=max(_FIRST_SIZE // 4, min(self.max_size, size - 1))
                if size
                else self.max_size,
                has_slowed=True,
            )
        # After one slow input the bound never rises again: it would return to what was slow.
        if self.has_slowed or self.max_magnitude >= _LAST_MAGNITUDE:
            return self
        # Accepted inputs within a factor of ten of the bound show that larger numbers are valid
        # here.
        if any(largest_magnitude(each) * 10 >= self.max_magnitude for each in accepted):
            return replace(
                self, max_magnitude=min(self.max_magnitude * _MAGNITUDE_GROWTH, _LAST_MAGNITUDE)
            )
        return self


def largest_magnitude(value: Value) -> float:
    """Return the largest distance from zero of the finite ints and floats within a value, or 0."""
    kind = type(value)
    if kind is int:
        return abs(value)  # type: ignore[no-any-return] # an int
    # An infinity says nothing about how far finite numbers may go.
    if kind is float:
        return abs(value) if math.isfinite(value) else 0.0
    return max((largest_magnitude(part) for part in parts_of(value)), default=0)


def largest_size(value: Value) -> int:
    """Return the length of the longest string or container within a tuple of arguments, or 0."""
    return max((_largest_size(part) for part in value), default=0)


def _largest_size(value: Value) -> int:
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value)
    parts = parts_of(value)
    return max((len(parts), *map(_largest_size, parts))) if parts else 0


def parts_of(value: Value) -> list[Value]:
    """Return the elements of a container, the keys and values of a dict, the view of an extended
    value; nothing for others."""
    kind = type(value)
    if kind is dict:
        return [*value, *value.values()]
    if kind in BY_TYPE:
        return [BY_TYPE[kind].view(value)]
    return list(value) if kind in (list, tuple, set, frozenset) else []
