"""Inputs with several right answers according to the reference: ties, and orders of sets.

Few tasks specify which of two equal elements comes first after a sort, or is the maximum, or the
order in which a set is traversed. So the reference is run as if Python had decided these
differently. If it still passes the base cases, they leave the order open. Where it then answers
differently, either answer is right, and the input cannot be a test.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.grading.stability import same
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, guest_programs
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Outcome, Returned, Suite, Task
from evalplus_lite.values.source import shown as shown_answer

SORTS = ("sort", "sorted")
KEYED = (*SORTS, "min", "max", "nlargest", "nsmallest")
LIMITS = Limits(cpu=60.0, load=10.0)


@dataclass(frozen=True, slots=True)
class FreeOrders:
    """The ways to order things, of ``sandbox.ordering``, that a task's base cases leave open."""

    task: Task
    ways: tuple[str, ...] = ()

    @classmethod
    def of(cls, sandbox: Sandbox, task: Task, base: Suite) -> FreeOrders:
        """Return the orders under which the reference still passes the base cases.

        None for a task whose ``check`` decides which answers are right.
        """
        if has_check(task) or not base.cases:
            return cls(task)
        inputs = Inputs.of(case.arguments for case in base.cases)

        def left_open(known: Sequence[str]) -> list[str]:
            return [way for way in known if _passes(sandbox, task, way, inputs, base)]

        tree = parsing.parse(task.reference)
        ties = left_open(guest_programs.TIES) if has_ties(tree) else []
        if len(ties) < len(guest_programs.TIES):
            ties = []  # a base case has a tie, which settles them, though one way may be the task's
        sets = left_open(guest_programs.SETS) if has_sets(tree) else []
        return cls(task, (*ties, *sets))

    def other(self, sandbox: Sandbox, suite: Suite) -> dict[int, str]:
        """Return the cases with another right answer, by place, each with a line that shows it."""
        differences: dict[int, str] = {}
        if not suite.cases or not self.ways:
            return differences
        inputs = Inputs.of(case.arguments for case in suite.cases)
        for way in self.ways:
            for place, outcome in enumerate(_run(sandbox, self.task, way, inputs)):
                data = suite.expected[place]
                if isinstance(outcome, Returned) and not same(data, outcome.data, self.task):
                    differences.setdefault(
                        place, f"{shown_answer(data)} or {shown_answer(outcome.data)}"
                    )
        return differences


def has_ties(tree: ast.AST) -> bool:
    """Return whether a program orders things by a key, so that different ones may be equal.

    One that sorts twice means the first order to decide where the second does not.
    """
    calls = [
        (node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node.keywords)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    ]
    if sum(name in SORTS for name, _ in calls) > 1:
        return False
    return any(
        name == "most_common" or (name in KEYED and any(each.arg == "key" for each in keywords))
        for name, keywords in calls
    )


def has_sets(tree: ast.AST) -> bool:
    """Return whether a program makes a set."""
    return any(
        isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Name) and node.id == "set")
        for node in ast.walk(tree)
    )


def _passes(sandbox: Sandbox, task: Task, way: str, inputs: Inputs, base: Suite) -> bool:
    outcomes = _run(sandbox, task, way, inputs)
    return all(
        isinstance(outcome, Returned) and same(data, outcome.data, task)
        for outcome, data in zip(outcomes, base.expected, strict=True)
    )


def _run(sandbox: Sandbox, task: Task, way: str, inputs: Inputs) -> tuple[Outcome | None, ...]:
    program = guest_programs.reordered(Program.of(task), way)
    # It has answered within its steps before: no time decides anything here.
    return sandbox.run(program, inputs, LIMITS).outcomes
