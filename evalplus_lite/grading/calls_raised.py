"""Exceptions in call sequences: an exception is a test only if a base case shows it.

An undocumented call, such as a pop from an empty stack, may raise anything in a right program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Suite, Task, Value
from evalplus_lite.values import wire


@dataclass(frozen=True, slots=True)
class KnownRaises:
    """The exceptions that the base cases of a task of call sequences show, by method."""

    is_for: bool = False
    found: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, task: Task, base: Suite) -> KnownRaises:
        """Return those of a task; empty for a task that is not a class driven by calls."""
        if task.harness.kind != "sequence":
            return cls()
        pairs = zip(base.cases, base.expected, strict=True)
        each = (raised(wire.decode(data), case.arguments) for case, data in pairs)
        return cls(True, frozenset().union(*each))

    def foreseen(self, suite: Suite) -> list[int]:
        """Return the positions of the cases that raise nothing else."""
        return [
            at
            for at, case in enumerate(suite.cases)
            if not self.is_for
            or raised(wire.decode(suite.expected[at]), case.arguments) <= self.found
        ]


def raised(answer: Any, calls: Sequence[Sequence[Value]]) -> set[tuple[str, str]]:
    """Return which methods raised which exceptions, from an answer that reports exceptions."""
    exceptions: set[tuple[str, str]] = set()
    for (name, *_), each in zip(calls, answer, strict=False):
        if type(each) is dict and each.keys() == {"raised"}:
            error = each["raised"]
            exceptions.add((name, error[0] if type(error) is list else error))
    return exceptions
