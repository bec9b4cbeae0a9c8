"""The panel: independent programs that pass the base cases, asked about other inputs."""

from __future__ import annotations

from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.grading.oracle import answer
from evalplus_lite.jobs.augmented_task import Budget
from evalplus_lite.jobs.consensus import Finding, Panel, independent
from evalplus_lite.jobs.linting import polled
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Suite, Task

WRONG_BEYOND_9 = "def f(x):\n    return x * 2 if abs(x) < 10 else 0\n"
RIGHT = (
    "def f(x):\n    return x + x\n",
    "def f(x):\n    return 2 * x\n",
    "def f(y):\n    return y + y\n",
)
SLOW = "def f(x):\n    while abs(x) > 9: pass\n    return x * 2\n"
LIMITS = Limits(cpu=1.0)


def base(sandbox: Sandbox, task: Task) -> Suite:
    return answer(sandbox, task, task.base, base_count=len(task.base), limits=LIMITS).suite


def doubts(
    sandbox: Sandbox, task: Task, programs: tuple[str, ...] | list[str], inputs: int = 60
) -> Finding:
    """What the programs dispute: of the task's own inputs, else of new ones."""
    answers = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=LIMITS, contract=False
    )
    budget = Budget(inputs=inputs)
    return polled(sandbox, task, answers, None, programs, seed=0, budget=budget)[0]


def test_only_independent_programs_that_pass_base_are_heard(sandbox: Sandbox) -> None:
    """Layout and docstrings make no other program; who fails a base case has no vote."""
    twin = 'def f(x):\n    "Double."\n\n    return (x+x)  # again\n'
    assert independent([RIGHT[0], twin, "def f(", RIGHT[1]]) == [RIGHT[0], RIGHT[1]]
    task = make_task()
    sources = [RIGHT[0], twin, "def f(x):\n    return 3\n", RIGHT[1]]
    assert Panel.select(sandbox, task, base(sandbox, task), sources).programs == RIGHT[:2]


@pytest.mark.parametrize(
    ("reference", "plus", "programs", "causes"),
    [
        (WRONG_BEYOND_9, (5, 10, 11), RIGHT, [None, "differs", "differs"]),
        (SLOW, (5, 10), RIGHT, [None, "slow"]),
        (WRONG_BEYOND_9, (10,), RIGHT[:1], [None]),  # one program is no consensus
    ],
    ids=["wrong", "slow", "one program"],
)
def test_a_reference_is_outvoted(
    sandbox: Sandbox, reference: str, plus: tuple[int, ...], programs: Any, causes: list[Any]
) -> None:
    """Exactly the cases on which the reference is wrong or slow are disputed."""
    task = make_task([(1,), (2,)], [(number,) for number in plus], reference=reference)
    panel = Panel.select(sandbox, task, base(sandbox, task), programs)
    found = answer(sandbox, task, task.plus, base_count=0, limits=LIMITS)
    disputes = panel.poll(sandbox, found.suite, found.dropped)
    assert [dispute and dispute.cause for dispute in disputes] == causes
    assert all((each.votes, each.voters) == (3, 3) for each in disputes if each is not None)


def test_the_wrong_reference_only_is_disputed(sandbox: Sandbox) -> None:
    """Of two tasks, given inputs or fresh ones, the wrong one is found and the right one not."""
    plus = [(n,) for n in range(3, 20)]
    wrong = make_task([(1,), (2,)], reference=WRONG_BEYOND_9)
    given = make_task([(1,), (2,)], plus, reference=WRONG_BEYOND_9)
    right = make_task([(1,), (2,)])
    assert [doubts(sandbox, task, RIGHT).kind for task in (wrong, given)] == ["reference"] * 2
    assert not doubts(sandbox, right, RIGHT).disputes
    assert len(doubts(sandbox, given, RIGHT).disputes) == 10


def test_a_mistake_that_most_programs_share_is_found_if_it_is_odd(sandbox: Sandbox) -> None:
    """Two of five programs are heard on the one input where the reference's answer is empty."""
    digits = (
        "def f(x):\n    found = ''\n    while x:\n        found, x = str(x % 2) + found, x // 2\n"
    )
    shared = digits + "    return found\n"
    right = digits + "    return found or '0'\n"
    contract = "def precondition(x):\n    assert x >= 0, 'x must not be negative'\n"
    plus = [(number,) for number in (*range(3, 40), 0)]
    task = make_task([(1,), (2,)], plus, reference=shared, contract=contract)
    programs = [shared.replace("found", name) for name in ("found", "text", "bits")]
    programs += [right, right.replace("found", "text")]
    found = doubts(sandbox, task, programs)
    assert found.kind == "reference"
    (dispute,) = found.disputes
    assert (dispute.case.arguments, dispute.cause, dispute.votes) == ((0,), "odd", 2)
    assert [len(camp.programs) for camp in dispute.camps] == [3, 2]


def test_a_reference_that_fails_on_allowed_inputs_is_named_without_a_panel(
    sandbox: Sandbox,
) -> None:
    """Where the contract allows an input, given or fresh, and the reference raises, it is enough.

    What the contract forbids is no evidence, nor is failing where there is no contract.
    """
    contract = "def precondition(x):\n    assert x >= 0, 'x must not be negative'\n"
    fails = "def f(x):\n    return 8 // (x - 5) if x > 2 else x\n"
    quiet = "def f(x):\n    return 8 // (x + 5) if x < -2 else x\n"
    for reference, allowed in [(fails, contract), (quiet, contract), (fails, None)]:
        for plus in ([(n,) for n in (-5, 3, 5)], []):
            task = make_task([(1,), (2,)], plus, reference=reference, contract=allowed)
            found = doubts(sandbox, task, ["def f(x"])
            assert bool(found.disputes) == (reference == fails and allowed is not None)
            for each in found.disputes:
                assert found.kind == "reference"
                assert each.case.arguments == (5,)
                assert (each.cause, each.majority.word, each.votes) == ("raises", "allowed", 0)
