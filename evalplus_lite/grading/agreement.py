"""Whether the programs that a task comes with, all taken to be right, give the same answers."""

from __future__ import annotations

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Suite, Task, VerdictName

CONTRADICTS: frozenset[VerdictName | None] = frozenset({"fail", "error", "unrepresentable"})


def contradicted(sandbox: Sandbox, task: Task, suite: Suite) -> dict[int, str]:
    """Return the positions of a suite's cases on which one of the task's programs answers otherwise
    than the reference, each with a line. One that is too slow or large there has no say."""
    found: dict[int, str] = {}
    if not suite.cases:
        return found
    prepared = PreparedSuite.by_steps(task, suite)
    for number, source in enumerate(task.programs, 1):
        verdict = evaluate_program(sandbox, prepared, source, details=True)
        for place, name in enumerate(verdict.details or ()):
            if name in CONTRADICTS:
                found.setdefault(place, f"number {number} of its programs answers otherwise")
    return found
