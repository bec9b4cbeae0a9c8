"""Smallest failing inputs: valid, still failing, and as plain as can be."""

from __future__ import annotations

import pytest
from support.tasks import make_task

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.jobs.minimize import Shrinker, Smallest
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.types import Task
from evalplus_lite.values import wire

TOTAL = "def f(xs):\n    return sum(xs)\n"
WRONG = "def f(xs):\n    return sum(xs) if len(xs) < 3 else sum(xs[:-1])\n"
LONG = [[4, 8, 15, 16, 23, 42], [1, 2]]


def smallest(sandbox: Sandbox, task: Task, source: str, **options: object) -> Smallest | None:
    """Return what the shrinker makes of a program's first failure on a task's cases."""
    suite = answer(
        sandbox, task, task.cases, base_count=len(task.base), limits=Limits(), contract=False
    ).suite
    prepared = PreparedSuite.of(task, suite, preset("default"))
    failure = evaluate_program(sandbox, prepared, source).failure
    assert failure is not None
    shrinker = Shrinker(**options)  # type: ignore[arg-type]
    return shrinker.smallest(sandbox, prepared, source, failure)


def test_the_smallest_input_is_found(sandbox: Sandbox) -> None:
    """Of a list of six numbers three are left, plain ones, with both answers."""
    found = smallest(sandbox, make_task([(xs,) for xs in LONG], reference=TOTAL), WRONG)
    assert found is not None
    (case,) = found.suite.cases
    assert case.arguments == ([1, 1, 1],)
    assert wire.decode(found.suite.expected[0]) == 3
    assert found.failure.actual is not None
    assert wire.decode(found.failure.actual) == 2


@pytest.mark.parametrize("is_own", [True, False])
def test_a_contract_bounds_what_is_tried(sandbox: Sandbox, is_own: bool) -> None:
    """No smallest input breaks the precondition, be it the task's or one known for its id."""
    contract = "def precondition(xs):\n    assert len(xs) >= 5 and min(xs) >= 4\n"
    task = make_task([(LONG[0],)], reference=TOTAL, id="T/1", contract=contract if is_own else None)
    found = smallest(sandbox, task, WRONG, contracts={} if is_own else {"T/1": contract})
    assert found is not None
    assert found.suite.cases[0].arguments == ([4, 4, 4, 4, 4],)


def test_an_exception_is_shrunk_too(sandbox: Sandbox) -> None:
    """A program that raises gets the smallest input that makes it raise."""
    raising = "def f(xs):\n    return sum(xs) // (0 if len(xs) > 1 else 1)\n"
    found = smallest(sandbox, make_task([(xs,) for xs in LONG], reference=TOTAL), raising)
    assert found is not None
    assert len(found.suite.cases[0].arguments[0]) == 2
    assert found.failure.verdict == "error"


def test_what_hangs_is_left_alone(sandbox: Sandbox) -> None:
    """No time is spent on a program that ran out of it."""
    hanging = "def f(xs):\n    while True: pass\n"
    assert smallest(sandbox, make_task([([1],)], reference=TOTAL), hanging) is None
