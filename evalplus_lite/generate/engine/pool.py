"""The pool: inputs to build on, in the order of the suite."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from evalplus_lite.types import Case, Value

# The scheduler: where proposals come from, and how much of a batch each should have.

MOST_RETRIED = 3.0
"""A source whose inputs are rejected gets up to this many times its share to make up for it."""


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of the sources among accepted inputs; a source that runs dry leaves its share.

    Those from ``magnitude`` on are the challenges (``engine.challenges``).
    """

    mutation: float = 0.4
    constant: float = 0.14
    boundary: float = 0.2
    hypothesis: float = 0.04
    magnitude: float = 0.05
    length: float = 0.05
    letters: float = 0.04
    types: float = 0.02
    cancellation: float = 0.04
    ties: float = 0.02


@dataclass(slots=True)
class InputSource:
    """A source of inputs and how it has fared."""

    name: str
    share: float
    draw: Callable[[], Case | None]
    proposed: int = 0
    accepted: int = 0
    worth: float = 0.0
    """What its accepted inputs are worth together, by ``Pool.add``."""
    every: float = 1.0
    """Its inputs stand this far apart in a batch."""
    due: float = 0.0
    """Where in the batch its next input stands."""

    def want(self) -> None:
        """Plan its share of a batch: more to make up for rejections, less for sameness."""
        refusals = (self.proposed + 5) / (self.accepted + 5)
        worth = (self.worth + 5) / (self.accepted + 5)
        self.every = 1 / (self.share * worth * min(MOST_RETRIED, refusals))
        self.due = self.every / 2


def due(source: InputSource) -> float:
    """Return where in the batch the source's next input stands."""
    return source.due


Arguments = tuple[Value, ...]

_SEEDS = 0.45
_BALANCED = 0.35
"""Shares of the picks made among seeds, and evenly among outputs; the rest is even among all."""
_SHARE = 4
"""Outputs count as classes where there are at most a quarter as many as inputs."""


class Pool:
    """Inputs with the outputs they lead to; the position of each is its position in the suite."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._inputs: list[Arguments] = []
        self._classes: dict[Hashable, list[int]] = {}
        self._members: list[list[int]] = []
        self._seeds: list[int] = []
        self._open: list[int] = []

    @property
    def size(self) -> int:
        """How many inputs there are to build on."""
        return len(self._open)

    def add(
        self,
        arguments: Arguments,
        output: Hashable,
        *,
        is_seed: bool = False,
        is_parent: bool = True,
    ) -> float:
        """Add the input at the next position; return how much another with its output is worth.

        One that is no ``is_parent`` takes its position and is never built on: a large one would
        have many large children.
        That is 1 where outputs are many or all come up alike, and less the more one prevails.
        """
        if not is_parent:
            self._inputs.append(arguments)
            return 1.0
        self._open.append(len(self._inputs))
        if is_seed:
            self._seeds.append(len(self._inputs))
        members = self._classes.get(output)
        if members is None:
            members = self._classes[output] = []
            self._members.append(members)
        members.append(len(self._inputs))
        self._inputs.append(arguments)
        if not self._has_classes():
            return 1.0
        fair_share = len(self._open) / len(self._members)
        return min(1.0, fair_share / len(members)) ** 3

    def pick(self) -> tuple[int, Arguments]:
        """Return the position of some input and the input itself.

        Seeds, which are the most like real inputs, are chosen more often. Where outputs are few,
        each is mostly as likely as any other: what leads to a rare answer is worth as much as what
        leads to a common one.
        """
        random = self._random
        way = random()
        if way < _SEEDS and self._seeds:
            at = self._seeds[int(random() * len(self._seeds))]
        elif way < _SEEDS + _BALANCED and self._has_classes():
            members = self._members[int(random() * len(self._members))]
            at = members[int(random() * len(members))]
        else:
            at = self._open[int(random() * len(self._open))]
        return at, self._inputs[at]

    def _has_classes(self) -> bool:
        return len(self._members) * _SHARE <= len(self._open)
