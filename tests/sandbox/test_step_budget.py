"""Steps that many inputs share: counted, never timed, and something is left for cheap ones."""

from __future__ import annotations

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import LOST, StepBudget, run_budgeted
from evalplus_lite.types import OutOfMemory, TimedOut

LOOP = Program("def f(x):\n    if x < 0: return [0] * 10**11\n    for i in range(x): pass\n", "f")


def test_an_input_takes_a_share_of_what_is_left(sandbox: Sandbox) -> None:
    """What takes more is stopped and has cost its share; what is cheap is counted to the end."""
    step_budget = StepBudget(1000, 10**6, least=50, shares=2)
    inputs = Inputs.of([(300,), (400,), (10,), (10**7,), (40,), (10,)])
    first, second, *rest = run_budgeted(sandbox, LOOP, inputs, Limits(), step_budget)
    assert first == 302
    assert isinstance(second, TimedOut), "more than half of what is left"
    assert rest[0] == 12
    assert isinstance(rest[1], TimedOut)
    assert rest[2:] == [42, 12]
    assert step_budget.spent == 302 + 349 + 12 + 168 + 42 + 12


def test_after_too_many_failures_only_cheap_inputs_are_tried(sandbox: Sandbox) -> None:
    """The others are not said to be slow: nobody has looked."""
    step_budget = StepBudget(10_000, 10**6, least=50, shares=2)
    inputs = Inputs.of([(10**7,), (100,), (10,)])
    slow, untried, cheap = run_budgeted(
        sandbox, LOOP, inputs, Limits(), step_budget, max_failures=1
    )
    assert isinstance(slow, TimedOut)
    assert (untried, cheap) == (None, 12)


def test_who_ends_the_process_pays(sandbox: Sandbox) -> None:
    """The next process goes on with what is left, or none does if that is nothing."""
    inputs = Inputs.of([(-1,), (10,)])
    step_budget = StepBudget(2 * LOST, 10**6)
    lost, then = run_budgeted(sandbox, LOOP, inputs, Limits(), step_budget)
    assert isinstance(lost, OutOfMemory)
    assert then == 12
    assert step_budget.spent == LOST + 12
    assert run_budgeted(sandbox, LOOP, inputs, Limits(), StepBudget(LOST, 10**6))[1] is None
