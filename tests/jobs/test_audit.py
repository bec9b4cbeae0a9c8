"""Doubts about ground truth: when programs outvote a reference, and what is doubted then."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.jobs.consensus import (
    ENOUGH,
    Camp,
    Dispute,
    Finding,
    Vote,
    camps,
    dispute,
    oddities,
)
from evalplus_lite.types import Case, Crashed, Raised, Returned, TimedOut
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


def test_a_dispute_counts_votes() -> None:
    """The majority's answer, its votes and all who were heard are kept."""
    found = disputed(value(2), [value(3), None, value(3), value(3), value(9)])
    assert found is not None
    assert replace(found, camps=()) == Dispute(CASE, "differs", value(2), value(3), 3, 5)


def test_camps_are_all_who_say_the_same() -> None:
    """Programs stand by what they say, the reference among them, the largest camp first."""
    said = [value(3), None, value(3), RAISES, value(3.0), SLOW, SLOW, value(2)]
    assert camps(TASK, value(2), said, list("abcdefgh")) == (
        Camp(value(3), ("a", "c", "e")),
        Camp(value(2), ("b", "h"), has_reference=True),
        Camp(SLOW, ("f", "g")),
        Camp(RAISES, ("d",)),
    )


def test_outcomes_become_words() -> None:
    """A value keeps its bytes, an exception its type; time and crashes are told apart."""
    assert Vote.of(Returned(b"x")) == Vote("value", b"x")
    assert Vote.of(Raised("KeyError", "k")) == Vote("raises", detail="KeyError")
    assert Vote.of(TimedOut(1.0, 1.0)).word == "slow"
    assert Vote.of(Crashed(11)).word == "crashes"


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


def test_rows_are_json_with_both_answers() -> None:
    """A row has the input and what reference and majority say, in the exact codec."""
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


def test_a_large_answer_is_shortened() -> None:
    """What would fill a page stands in a row cut short."""
    found = Finding("T/0", 5, (Dispute(CASE, "differs", value(1), value("x" * 20_000), 2, 2),))
    (row,) = found.to_rows()
    assert len(row["majority"]["value"]["$shortened"]) < 300


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


def test_what_many_answers_lack_is_no_oddity() -> None:
    """A property that one answer in ten breaks is no habit."""
    task = make_task([(number,) for number in range(100)])
    assert oddities(make_suite(task, [[] if n % 10 == 0 else [n] for n in range(100)])) == {}


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
