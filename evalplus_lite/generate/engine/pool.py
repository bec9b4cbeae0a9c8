"""Inputs to mutate, in the order of the suite."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from evalplus_lite.types import Case, Value
from evalplus_lite.values.kinds.registry import BY_TYPE

Item = TypeVar("Item")


def in_turn(found: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """Yield one of each iterator, then a second one of each, until all have ended."""
    while found:
        left = []
        for each in found:
            for item in islice(each, 1):
                left.append(each)
                yield item
        found = left


# The scheduler: where proposals come from, and how much of a batch each should have.


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of the sources among accepted inputs; a source that runs dry leaves its share.

    Those from ``magnitude`` on are the challenges (``engine.challenges``).
    """

    mutation: float = 0.4
    constant: float = 0.14
    boundary: float = 0.2
    hypothesis: float = 0.04
    guaranteed: float = 0.3
    magnitude: float = 0.05
    length: float = 0.05


@dataclass(slots=True)
class InputSource:
    """A source of inputs and its share of a batch."""

    name: str
    share: float
    draw: Callable[[], Case | None]
    due: float = 0.0
    """Where in the batch its next input stands."""


def due(source: InputSource) -> float:
    """Return where in the batch the source's next input stands."""
    return source.due


Arguments = tuple[Value, ...]

_SEEDS = 0.45
"""Share of the picks made among seeds, which are most like real inputs; the rest is even."""


class Pool:
    """Inputs by position; the position of each is its index in the suite."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._inputs: list[Arguments] = []
        self._seeds: list[int] = []
        self._open: list[int] = []

    @property
    def size(self) -> int:
        """How many inputs there are to mutate."""
        return len(self._open)

    def add(self, arguments: Arguments, *, is_seed: bool = False, is_parent: bool = True) -> None:
        """Add the input at the next index.

        With ``is_parent=False`` the input keeps its index but is never mutated, because mutants of
        large inputs are large.
        """
        if is_parent:
            self._open.append(len(self._inputs))
            if is_seed:
                self._seeds.append(len(self._inputs))
        self._inputs.append(arguments)

    def pick(self) -> tuple[int, Arguments]:
        """Return the index of an input and the input itself."""
        random = self._random
        indices = self._seeds if random() < _SEEDS and self._seeds else self._open
        at = indices[int(random() * len(indices))]
        return at, self._inputs[at]


# Growth: how large the numbers and lengths of inputs are, and how far they may go on growing.

_FIRST_MAGNITUDE = 10_000
_MAGNITUDE_GROWTH = 1_000
_LAST_MAGNITUDE = 10**19
_FIRST_SIZE = 64


@dataclass(frozen=True, slots=True)
class GrowthLimits:
    """How far from zero numbers may be, and how long strings and containers, for now.

    ``floor`` is the largest number that a base input held: the bound never falls below it.
    """

    max_magnitude: float
    max_size: int
    floor: float
    has_slowed: bool = False

    @classmethod
    def of(cls, base: Sequence[Sequence[Value]]) -> GrowthLimits:
        """Return where to start from: beyond the base inputs, but not far."""
        largest = max((largest_magnitude(each) for each in base), default=0.0)
        max_size = max((largest_size(each) for each in base), default=0)
        return cls(max(10 * largest, _FIRST_MAGNITUDE), max(2 * max_size, _FIRST_SIZE), largest)

    def after(
        self, accepted: Sequence[Sequence[Value]], slow: Sequence[Sequence[Value]]
    ) -> GrowthLimits:
        """Return the extent after a batch: smaller than what was slow, else larger step by step."""
        if slow:
            number = min(map(largest_magnitude, slow))
            size = min(map(largest_size, slow))
            return replace(
                self,
                max_magnitude=max(self.floor, min(self.max_magnitude, number // 2), 10),
                max_size=max(_FIRST_SIZE // 4, min(self.max_size, size - 1))
                if size
                else self.max_size,
                has_slowed=True,
            )
        if self.has_slowed or self.max_magnitude >= _LAST_MAGNITUDE:
            return self
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
    """Return the elements of a container, the keys and values of a dict, or what stands for a value
    of a type beyond the plain ones; nothing of others."""
    kind = type(value)
    if kind is dict:
        return [*value, *value.values()]
    if kind in BY_TYPE:
        return [BY_TYPE[kind].view(value)]
    return list(value) if kind in (list, tuple, set, frozenset) else []
