"""Tasks and suites travel as plain data, and what is prepared of them is bounded."""

from __future__ import annotations

import marshal
from dataclasses import replace

from support.tasks import make_suite, make_task

from evalplus_lite.grading.evidence import Evidence, Loss
from evalplus_lite.grading.subsets import as_stress
from evalplus_lite.jobs.workers.shared_data import (
    Prepared,
    evidence_of,
    evidence_row,
    suite_of,
    suite_row,
    task_of,
    task_row,
)
from evalplus_lite.types import Case, Rule

ODD = [(-0.0, 1 << 80, True, "\ud800"), ({(1, 2): {3}}, frozenset({b"\xff"}), 1j, None)]


def travelled(row: object) -> object:
    return marshal.loads(marshal.dumps(row))


def test_a_task_arrives_as_it_was() -> None:
    """Every field and every kind of value comes back exactly, types and signs of zero included."""
    task = replace(
        make_task(ODD, [("x" * 100_000,)], contract="def check(i, o, e): return True"),
        rule=Rule("unordered", 0.5, 0.25),
        style="solution",
        constraints={"sorted": True},
        extra={"test": "assert True", "atol": 0},
    )
    task = replace(task, plus=(replace(task.plus[0], parent=1, operators=("a", "b")),))
    again = task_of(travelled(task_row(task)))
    assert again == task
    assert repr(again) == repr(task)


def test_a_suite_arrives_as_it_was() -> None:
    """Large answers stay packed, small ones whole, and both are what they were."""
    task = make_task([(1,), (2,)])
    suite = replace(make_suite(task, [2, "y" * 200_000]), provenance={"seed": 1})
    suite = replace(suite, stress=as_stress(suite, {1: "size"}))
    again = suite_of(travelled(suite_row(suite)))
    assert again == suite
    assert list(again.blobs.items()) == list(suite.blobs.items())


def test_evidence_arrives_as_it_was() -> None:
    """What a suite rests on comes back equal."""
    evidence = Evidence(3, 1, (Loss("raises", 2, "the reference raises"),), "blind")
    assert evidence_of(travelled(evidence_row(evidence))) == evidence


def test_what_is_prepared_is_bounded() -> None:
    """A task is prepared once while it is kept; the least recently used goes when it is much."""
    made: list[int] = []

    prepared = Prepared[Case](most=25)

    def of(ref: tuple[int, int]) -> Case:
        def make() -> Case:
            made.append(ref[0])
            return Case(ref)

        return prepared.under(ref, ref[1], make)

    for start in (0, 1, 0, 2, 0, 1):
        assert of((start, 10)).arguments == (start, 10)
    assert made == [0, 1, 2, 1]
    assert of((9, 1000)).arguments == (9, 1000), "one is kept however large it is"
