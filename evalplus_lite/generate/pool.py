"""The pool: inputs to build on, in the order of the suite."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from evalplus_lite.types import Value

Arguments = tuple[Value, ...]

_SHARE = 4
"""Outputs count as classes where there are at most a quarter as many as inputs."""


class Pool:
    """Inputs with the outputs they lead to; the position of each is its position in the suite."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._inputs: list[Arguments] = []
        self._classes: dict[Hashable, list[int]] = {}
        self._members: list[list[int]] = []

    @property
    def size(self) -> int:
        """How many inputs there are."""
        return len(self._inputs)

    def add(self, arguments: Arguments, output: Hashable) -> None:
        """Afterwards the input stands at the next position, among those of its output."""
        members = self._classes.get(output)
        if members is None:
            members = self._classes[output] = []
            self._members.append(members)
        members.append(len(self._inputs))
        self._inputs.append(arguments)

    def pick(self) -> tuple[int, Arguments]:
        """Return the position of some input and the input itself.

        Where outputs are few, each is as likely as any other, half of the time: what leads to a
        rare answer is worth as much as what leads to a common one.
        """
        random = self._random
        if len(self._members) * _SHARE <= len(self._inputs) and random() < 0.5:
            members = self._members[int(random() * len(self._members))]
            at = members[int(random() * len(members))]
        else:
            at = int(random() * len(self._inputs))
        return at, self._inputs[at]
