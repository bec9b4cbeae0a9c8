"""Inputs with several right answers, by the reference's own account: ties, and orders of sets.

Which of two equal elements comes first after a sort, or is the maximum, and in which order a set is
gone through, is seldom what a task asks about. So the reference is run as if Python had decided
these things otherwise. If it passes the base cases all the same, they leave it open: where it then
answers otherwise than it does, either answer is right, and the input cannot be a test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalplus_lite.grading.stability import same
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, ordering
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Outcome, Returned, Suite, Task
from evalplus_lite.values.excerpts import shown as shown_answer

TIES = re.compile(r"\b(sort|sorted|min|max|most_common|nlargest|nsmallest)\b")
SETS = re.compile(r"\bset\b|\{")
LIMITS = Limits(cpu=60.0, load=10.0)


@dataclass(frozen=True, slots=True)
class FreeOrders:
    """The ways to order things, of ``sandbox.ordering``, that a task's base cases leave open."""

    task: Task
    ways: tuple[str, ...] = ()

    @classmethod
    def of(cls, sandbox: Sandbox, task: Task, base: Suite) -> FreeOrders:
        """Return the ways in which the reference still passes the base cases.

        None for a task whose ``check`` says which answers are right.
        """
        if has_check(task) or not base.cases:
            return cls(task)
        inputs = Inputs.of(case.arguments for case in base.cases)
        ways = []
        for names, known in ((TIES, ordering.TIES), (SETS, ordering.SETS)):
            some = known if names.search(task.reference) else ()
            open_ways = [way for way in some if _passes(sandbox, task, way, inputs, base)]
            # A tie in a base case settles ties, though one way of breaking it may be the task's.
            ways += open_ways if len(open_ways) == len(some) or names is SETS else []
        return cls(task, tuple(ways))

    def other(self, sandbox: Sandbox, suite: Suite) -> dict[int, str]:
        """Return the cases with another right answer, by place, each with a line that shows it."""
        found: dict[int, str] = {}
        if not suite.cases or not self.ways:
            return found
        inputs = Inputs.of(case.arguments for case in suite.cases)
        for way in self.ways:
            for place, outcome in enumerate(_run(sandbox, self.task, way, inputs)):
                data = suite.expected[place]
                if isinstance(outcome, Returned) and not same(data, outcome.data, self.task):
                    found.setdefault(place, f"{shown_answer(data)} or {shown_answer(outcome.data)}")
        return found


def _passes(sandbox: Sandbox, task: Task, way: str, inputs: Inputs, base: Suite) -> bool:
    outcomes = _run(sandbox, task, way, inputs)
    return all(
        isinstance(outcome, Returned) and same(data, outcome.data, task)
        for outcome, data in zip(outcomes, base.expected, strict=True)
    )


def _run(sandbox: Sandbox, task: Task, way: str, inputs: Inputs) -> tuple[Outcome | None, ...]:
    program = ordering.reordered(Program(task.reference, task.entry_point), way)
    # It has answered within its steps before: no time decides anything here.
    return sandbox.run(program, inputs, LIMITS).outcomes
