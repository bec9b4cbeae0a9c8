"""Boundary combinations: inputs with one argument, or several, at a boundary of their domain.

Boundary values are tried one argument at a time first. What is rejected alone is not combined;
the rest is paired in order of simplicity, since conditions often need two special values at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evalplus_lite.generate.engine import boundary
from evalplus_lite.generate.engine.growth import largest_magnitude
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

Assignment = dict[int, Value]
"""Argument position to the boundary value that stands there."""

_LEADING = 10
"""So many values of each argument, the simplest, are paired systematically; others by chance."""


@dataclass(slots=True)
class _Boundaries:
    """The boundary values of one argument, and how far they have been tried."""

    slot: Slot
    values: dict[bytes, Value] = field(default_factory=dict)
    """By identity, the simplest first."""
    waiting: deque[bytes] = field(default_factory=deque)
    rejected: set[bytes] = field(default_factory=set)
    usable: list[Value] = field(default_factory=list)
    """The values not rejected alone, the simplest first."""

    def refresh(self) -> None:
        """Add values that came within the magnitude bound, after those already there."""
        for value in boundary.values(self.slot):
            identity = key(value)
            if identity not in self.values:
                self.values[identity] = value
                self.waiting.append(identity)
        self.review()

    def review(self) -> None:
        """Leave out of the usable values what has been rejected meanwhile."""
        rejected, max_magnitude = self.rejected, self.slot.state.max_magnitude
        self.usable = [
            value
            for known, value in self.values.items()
            if known not in rejected and largest_magnitude(value) <= max_magnitude
        ]


class BoundaryCombinations:
    """Chooses boundary values for arguments; ends by itself when no value is left to try alone."""

    def __init__(self, slots: Sequence[Slot], random: Callable[[], float]) -> None:
        self._random = random
        self._arguments = [_Boundaries(slot) for slot in slots]
        self._turn = 0
        self.refresh()
        self._pairwise = self._pairs()

    def refresh(self) -> None:
        """Take the slots' present bounds into account."""
        for argument in self._arguments:
            argument.refresh()

    def draw(self) -> Assignment:
        """Return the next choice: alone, systematic and random ones in turn; may be empty."""
        if not self._arguments:
            return {}
        self._turn += 1
        if self._turn % 2:
            single = self._single()
            if single:
                return single
        if len(self._arguments) > 1 and self._turn % 3:
            choice = next(self._pairwise, None)
            if choice is not None:
                return choice
        return self._random_subset()

    def learn(self, choice: Assignment, *, accepted: bool) -> None:
        """Note that a value was rejected alone: from the next refresh on it is not combined."""
        if len(choice) == 1:
            ((at, value),) = choice.items()
            rejected = self._arguments[at].rejected
            (rejected.discard if accepted else rejected.add)(key(value))

    def _single(self) -> Assignment:
        """Return the simplest value not yet tried, of the argument that has most of them left."""
        at = max(range(len(self._arguments)), key=lambda at: len(self._arguments[at].waiting))
        argument = self._arguments[at]
        while argument.waiting:
            value = argument.values[argument.waiting.popleft()]
            if largest_magnitude(value) <= argument.slot.state.max_magnitude:
                return {at: value}
        return {}

    def _pairs(self) -> Iterator[Assignment]:
        """Yield pairs of two arguments' leading values, the simplest first, unless rejected."""
        leading = [list(islice(argument.values.items(), _LEADING)) for argument in self._arguments]
        pairs = [
            (one + other, first, second, leading[first][one], leading[second][other])
            for first in range(len(leading))
            for second in range(first + 1, len(leading))
            for one in range(len(leading[first]))
            for other in range(len(leading[second]))
        ]
        for _, first, second, one, other in sorted(pairs, key=lambda pair: pair[:3]):
            rejected = (
                one[0] in self._arguments[first].rejected,
                other[0] in self._arguments[second].rejected,
            )
            max_magnitude = self._arguments[first].slot.state.max_magnitude
            if not any(rejected) and largest_magnitude([one[1], other[1]]) <= max_magnitude:
                yield {first: one[1], second: other[1]}

    def _random_subset(self) -> Assignment:
        """Return values for some of the arguments by chance, the simple ones preferred."""
        random = self._random
        choice: Assignment = {}
        always = int(random() * len(self._arguments))
        for at, argument in enumerate(self._arguments):
            values = argument.usable
            if values and (at == always or random() < 0.5):
                choice[at] = values[int(random() * random() * len(values))]
        return choice
