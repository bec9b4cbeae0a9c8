"""Corners: inputs with one argument, or several, at a boundary of their domain.

Boundary values are tried one argument at a time first. What is refused alone is not combined;
the rest meet in order of simplicity, since conditions often need two special values at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evalplus_lite.generate.engine import boundary
from evalplus_lite.generate.engine.growth import largest_number
from evalplus_lite.generate.engine.slots import Place
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

Choice = dict[int, Value]
"""Argument position to the boundary value that stands there."""

_LEADING = 10
"""Of each argument the simplest so many values meet systematically; all may meet by chance."""


@dataclass(slots=True)
class _Edge:
    """The boundary values of one argument, and how far they have been tried."""

    place: Place
    values: dict[bytes, Value] = field(default_factory=dict)
    """By identity, the simplest first."""
    waiting: deque[bytes] = field(default_factory=deque)
    refused: set[bytes] = field(default_factory=set)
    usable: list[Value] = field(default_factory=list)
    """The values not refused alone, the simplest first."""

    def refresh(self) -> None:
        """Afterwards values that came within reach are there too, after those already there."""
        for value in boundary.values(self.place):
            identity = key(value)
            if identity not in self.values:
                self.values[identity] = value
                self.waiting.append(identity)
        self.review()

    def review(self) -> None:
        """Afterwards the usable values leave out what has been refused meanwhile."""
        refused, reach = self.refused, self.place.world.reach
        self.usable = [
            value
            for known, value in self.values.items()
            if known not in refused and largest_number(value) <= reach
        ]


class Corners:
    """Chooses boundary values for arguments; ends by itself when no value is left to try alone."""

    def __init__(self, places: Sequence[Place], random: Callable[[], float]) -> None:
        self._random = random
        self._edges = [_Edge(place) for place in places]
        self._turn = 0
        self.refresh()
        self._met = self._meetings()

    def refresh(self) -> None:
        """Afterwards the places' present bounds count."""
        for edge in self._edges:
            edge.refresh()

    def draw(self) -> Choice:
        """Return the next choice: alone, systematic and random ones in turn; may be empty."""
        if not self._edges:
            return {}
        self._turn += 1
        if self._turn % 2:
            alone = self._alone()
            if alone:
                return alone
        if len(self._edges) > 1 and self._turn % 3:
            choice = next(self._met, None)
            if choice is not None:
                return choice
        return self._scattered()

    def learn(self, choice: Choice, *, kept: bool) -> None:
        """Afterwards, once refreshed, a value refused alone is not combined with others."""
        if len(choice) == 1:
            ((at, value),) = choice.items()
            refused = self._edges[at].refused
            (refused.discard if kept else refused.add)(key(value))

    def _alone(self) -> Choice:
        """Return the simplest value not yet tried, of the argument that has most of them left."""
        at = max(range(len(self._edges)), key=lambda at: len(self._edges[at].waiting))
        edge = self._edges[at]
        while edge.waiting:
            value = edge.values[edge.waiting.popleft()]
            if largest_number(value) <= edge.place.world.reach:
                return {at: value}
        return {}

    def _meetings(self) -> Iterator[Choice]:
        """Yield pairs of two arguments' leading values, the simplest first, unless refused."""
        leading = [list(islice(edge.values.items(), _LEADING)) for edge in self._edges]
        pairs = [
            (one + other, first, second, leading[first][one], leading[second][other])
            for first in range(len(leading))
            for second in range(first + 1, len(leading))
            for one in range(len(leading[first]))
            for other in range(len(leading[second]))
        ]
        for _, first, second, one, other in sorted(pairs, key=lambda pair: pair[:3]):
            refused = one[0] in self._edges[first].refused, other[0] in self._edges[second].refused
            reach = self._edges[first].place.world.reach
            if not any(refused) and largest_number([one[1], other[1]]) <= reach:
                yield {first: one[1], second: other[1]}

    def _scattered(self) -> Choice:
        """Return values for some of the arguments by chance, the simple ones preferred."""
        random = self._random
        choice: Choice = {}
        always = int(random() * len(self._edges))
        for at, edge in enumerate(self._edges):
            values = edge.usable
            if values and (at == always or random() < 0.5):
                choice[at] = values[int(random() * random() * len(values))]
        return choice
