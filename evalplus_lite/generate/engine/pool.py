"""Scheduling: the sources of inputs, their turns in a batch, and the pool of inputs to mutate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from evalplus_lite.types import Arguments, Case

Item = TypeVar("Item")


def in_turn(found: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """Yield one item of each iterator, then a second one of each, until all are exhausted."""
    while found:
        left = []
        for each in found:
            # ``next`` with a default would mistake an equal item for the end; ``islice`` does not.
            for item in islice(each, 1):
                left.append(each)
                yield item
        found = left


@dataclass(frozen=True, slots=True)
class Mix:
    """The weights of the sources in a batch of proposals; they need not add up to 1.

    An exhausted source leaves its share to the others. ``magnitude`` and ``length`` are the
    challenges (``engine.challenges``).
    """

    # Set by hand. The first four added up to 1 until the challenges took a part of each;
    # ``guaranteed`` was added without lowering the others.
    mutation: float = 0.4
    constant: float = 0.14
    boundary: float = 0.2
    hypothesis: float = 0.04
    guaranteed: float = 0.3
    magnitude: float = 0.05
    length: float = 0.05


NEAR_EXAMPLES = Mix(guaranteed=1.0)
"""The mix if examples are the only limit, where mutations of a few examples add little."""


@dataclass(slots=True)
class InputSource:
    """A source of inputs and its share of a batch."""

    name: str
    share: float
    draw: Callable[[], Case | None]
    due: float = 0.0
    """The position in the batch at which its next input is due."""


_SEEDS = 0.45
"""Share of parents picked among seeds, which are closest to real inputs; others are uniform."""


class Pool:
    """Inputs by position, which is their index in the suite."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._inputs: list[Arguments] = []
        self._seeds: list[int] = []
        self._open: list[int] = []

    @property
    def size(self) -> int:
        """The number of inputs that can be mutated."""
        return len(self._open)

    def add(self, arguments: Arguments, *, is_seed: bool = False, is_parent: bool = True) -> None:
        """Add the input at the next index.

        With ``is_parent=False`` the input keeps its index but is never mutated, because mutants of
        large inputs are large.
        """
        # Positions count all inputs; open ones are those that can be mutated.
        if is_parent:
            self._open.append(len(self._inputs))
            if is_seed:
                self._seeds.append(len(self._inputs))
        self._inputs.append(arguments)

    def pick(self) -> tuple[int, Arguments]:
        """Return the index of an input and the input itself."""
        random = self._random
        # Accepted mutants soon outnumber the seeds. Without a share of their own, seeds would
        # rarely be picked, and inputs would drift away from the task's examples.
        indices = self._seeds if random() < _SEEDS and self._seeds else self._open
        at = indices[int(random() * len(indices))]
        return at, self._inputs[at]
