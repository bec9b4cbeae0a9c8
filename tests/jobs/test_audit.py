"""Doubts about ground truth: when programs outvote a reference, and what is doubted then."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.grading.oracle import answer
from evalplus_lite.jobs.augmented_task import Budget
from evalplus_lite.jobs.consensus import (
    ENOUGH,
    Camp,
    Dispute,
    Finding,
    Panel,
    Vote,
    camps,
    dispute,
    independent,
    oddities,
)
from evalplus_lite.jobs.linting import polled
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Crashed, Raised, Returned, Suite, Task, TimedOut
from evalplus_lite.values import wire

TASK = make_task()
CASE = Case((1,))
RAISES = Vote("raises", detail="ValueError")
SLOW = Vote("slow")


def value(number: object) -> Vote:
    return Vote("value", wire.encode(number))


def disputed(
    reference: Vote, said: list[Vote | None], broken: frozenset[str] = frozenset()
) -> Dispute | None:
    return dispute(CASE, reference, camps(TASK, reference, said, "abcdefgh"[: len(said)]), broken)


@pytest.mark.parametrize(
    ("reference", "said", "cause"),
    [
        (value(2), [value(3), value(3)], "differs"),
        (value(2), [value(3), value(3), None], "differs"),
        (value(2), [value(3), value(3), None, None], None),
        (value(2), [value(3)], None),
        (value(2), [value(3), value(4), value(5)], None),
        (value(2), [value(3), value(3.0), value(4)], "differs"),
        (value(2), [RAISES, RAISES], "refused"),
        (value(2), [SLOW, SLOW, SLOW], None),
        (SLOW, [value(3), value(3)], "slow"),
        (RAISES, [value(3), value(3)], "raises"),
        (RAISES, [RAISES, RAISES], None),
        (SLOW, [RAISES, RAISES], None),
        (value(2), [], None),
    ],
)
def test_a_dispute_needs_most_programs_to_agree(
    reference: Vote, said: list[Vote | None], cause: str | None
) -> None:
    """More than half, at least two, must say the same, and the reference something else or none."""
    found = disputed(reference, said)
    assert (found.cause if found else None) == cause


def test_what_a_dispute_holds() -> None:
    """Votes, camps and the majority's answer in a row of JSON; what many lack is no oddity."""
    found = disputed(value(2), [value(3), None, value(3), value(3), value(9)])
    assert found is not None
    assert replace(found, camps=()) == Dispute(CASE, "differs", value(2), value(3), 3, 5)
    said = [value(3), None, value(3), RAISES, value(3.0), SLOW, SLOW, value(2)]
    assert camps(TASK, value(2), said, list("abcdefgh")) == (
        Camp(value(3), ("a", "c", "e")),
        Camp(value(2), ("b", "h"), has_reference=True),
        Camp(SLOW, ("f", "g")),
        Camp(RAISES, ("d",)),
    )
    assert Vote.of(Returned(b"x")) == Vote("value", b"x")
    assert Vote.of(Raised("KeyError", "k")) == Vote("raises", detail="KeyError")
    assert Vote.of(TimedOut(1.0, 1.0)).word == "slow"
    assert Vote.of(Crashed(11)).word == "crashes"
    found = Finding("T/0", 5, (Dispute(Case(((1, 2),)), "raises", RAISES, value([1]), 2, 3),))
    (row,) = json.loads(json.dumps(found.to_rows()))
    assert row == {
        "task_id": "T/0",
        "kind": "input",
        "cause": "raises",
        "input": [{"$tuple": [1, 2]}],
        "reference": {"raises": "ValueError"},
        "majority": {"value": [1]},
        "votes": 2,
        "voters": 3,
        "source": "base",
        "allowed": None,
        "camps": [],
    }
    found = Finding("T/0", 5, (Dispute(CASE, "differs", value(1), value("x" * 20_000), 2, 2),))
    (row,) = found.to_rows()
    assert len(row["majority"]["value"]["$shortened"]) < 300
    task = make_task([(number,) for number in range(100)])
    assert oddities(make_suite(task, [[] if n % 10 == 0 else [n] for n in range(100)])) == {}


@pytest.mark.parametrize(
    ("cause", "allowed", "votes", "disputes", "polled", "kind"),
    [
        # Many differing answers, or a slow one, put the reference in doubt; a few, the inputs.
        ("differs", None, (2, 2), 2, 10, "input"),
        ("differs", None, (2, 2), 3, 10, "reference"),
        ("differs", None, (2, 2), 3, 1000, "input"),
        ("slow", None, (2, 2), 1, 1000, "reference"),
        ("refused", None, (2, 2), 9, 10, "input"),
        # One dispute is enough on an allowed input; on a forbidden one only slowness counts.
        ("differs", True, (2, 2), 1, 1000, "reference"),
        ("raises", True, (2, 2), 1, 1000, "reference"),
        ("refused", True, (2, 2), 1, 1000, "input"),
        ("slow", False, (2, 2), 20, 1000, "reference"),
        ("differs", False, (2, 2), 20, 1000, "input"),
        # A majority that leads by one vote puts the input in doubt; by two, the reference.
        ("differs", True, (4, 7), 20, 1000, "input"),
        ("differs", True, (4, 6), 20, 1000, "reference"),
        ("differs", True, (2, 3), 20, 1000, "input"),
        # What a contract forbids is evidence where three programs or more are all of one mind.
        ("differs", False, (3, 3), 1, 1000, "reference"),
        ("differs", False, (2, 2), 1, 1000, "input"),
        ("differs", False, (9, 10), 1, 1000, "input"),
    ],
)
def test_the_kind_of_a_finding(
    cause: str, allowed: bool | None, votes: tuple[int, int], disputes: int, polled: int, kind: str
) -> None:
    """What is in doubt, the reference or the inputs, follows from votes and contract."""
    each = Dispute(CASE, cause, value(2), value(3), *votes, allowed=allowed)
    assert Finding("T/0", polled, (each,) * disputes).kind == kind


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        (0, {"is below argument 0"}),
        (-5, set()),
        (-1000, set()),
        ("", {"is number", "is not negative"}),
    ],
)
def test_an_answer_unlike_all_others_is_noticed(answer: Any, broken: set[str]) -> None:
    """Where every other answer is a number below its argument, one that is not stands out."""
    task = make_task([(number,) for number in range(1, ENOUGH + 1)] + [(0,)])
    found = oddities(make_suite(task, [*range(ENOUGH), answer]))
    assert found.get(ENOUGH, frozenset()) >= broken
    assert set(found) <= {ENOUGH}
    few = make_task([(1,), (2,), (0,)])
    assert oddities(make_suite(few, [0, 1, answer])) == {}


@pytest.mark.parametrize(
    ("said", "votes"),
    [
        ([value([0]), value([0]), None, None, None], 2),
        ([value([0]), None, None], None),
        ([value([]), value([]), None, None, None], None),
        ([RAISES, RAISES, None, None, None], None),
    ],
)
def test_few_programs_are_heard_about_an_odd_answer(
    said: list[Vote | None], votes: int | None
) -> None:
    """Two that answer as all other answers are suffice, where most share the odd one."""
    found = disputed(value(""), said, frozenset({"is not empty"}))
    assert (found and found.votes) == votes
    assert found is None or (found.cause, found.voters) == ("odd", 5)


# The panel: independent programs that pass the base cases, asked about other inputs.

WRONG_BEYOND_9 = "def f(x):\n    return x * 2 if abs(x) < 10 else 0\n"
RIGHT = (
    "def f(x):\n    return x + x\n",
    "def f(x):\n    return 2 * x\n",
    "def f(y):\n    return y + y\n",
)
ENDLESS = "def f(x):\n    while abs(x) > 9: pass\n    return x * 2\n"
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
        (ENDLESS, (5, 10), RIGHT, [None, "slow"]),
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


def test_only_wrong_references_are_disputed(sandbox: Sandbox) -> None:
    """Also where most programs share the mistake, if the reference's answer is an odd one."""
    plus = [(n,) for n in range(3, 20)]
    wrong = make_task([(1,), (2,)], reference=WRONG_BEYOND_9)
    given = make_task([(1,), (2,)], plus, reference=WRONG_BEYOND_9)
    right = make_task([(1,), (2,)])
    assert [doubts(sandbox, task, RIGHT).kind for task in (wrong, given)] == ["reference"] * 2
    assert not doubts(sandbox, right, RIGHT).disputes
    assert len(doubts(sandbox, given, RIGHT).disputes) == 10
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
