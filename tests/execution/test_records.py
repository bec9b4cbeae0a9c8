"""Records between processes: every one comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.backends import travelled
from support.tasks import make_suite, make_task

from evalplus_lite.execution.records import from_row, from_rows, to_row, to_rows
from evalplus_lite.grading.evidence import Evidence, Loss
from evalplus_lite.grading.subsets import as_stress
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.reduction.requirements import Matrix, Requirement
from evalplus_lite.sandbox import preset
from evalplus_lite.types import Case, Harness, Rule, Suite, Task, Tolerance, Verdict

ODD = [(-0.0, 1 << 80, True, "\ud800"), ({(1, 2): {3}}, frozenset({b"\xff"}), 1j, None)]


def task() -> Task:
    """Return a task with every kind of field, and every kind of plain value."""
    rule = Rule("sorted", 0.5, 0.25, (1, 2), ("a", 0), "len", (Tolerance(("x", "*"), 0.5),))
    made = replace(
        make_task(ODD, [("x" * 100_000,)], contract="def check(i, o, e): return True"),
        rule=rule,
        harness=Harness("method", ("value", "printed"), 3, exceptions=("KeyError",)),
        programs=("def f(x): return x",),
        style="solution",
        constraints={"sorted": True},
        extra={"test": "assert True", "atol": 0},
    )
    return replace(made, plus=(replace(made.plus[0], parent=1, operators=("a", "b")),))


def suite() -> Suite:
    """Return a suite with a small and a large answer, and stress cases."""
    plain = replace(make_suite(make_task([(1,), (2,)]), [2, "y" * 200_000]), provenance={"a": 1})
    return replace(plain, stress=as_stress(plain, {1: "size"}))


ROWS = {Requirement("mutant", "a"): 1 << 70, Requirement("decision", "b"): 2}
RECORDS: list[Any] = [
    task(),
    suite(),
    Evidence(3, 1, (Loss("raises", 2, "the reference raises"),), "blind"),
    Matrix("Own/0", 5, 2, ROWS, (Requirement("mutant", "c"),), 1, frozenset({"d"})),
    Settings(preset("default"), 1 << 20, None, details=True),
    Verdict("pass", None, None, ("pass", None)),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_arrives_as_it_was(record: Any) -> None:
    """Every field and value comes back exactly, types and signs of zero included."""
    again = from_row(type(record), travelled(to_row(record)))
    assert again == record
    assert repr(again) == repr(record)


def test_large_answers_stay_packed() -> None:
    """They are neither unpacked nor packed again on the way."""
    again = from_row(Suite, travelled(to_row(suite())))
    assert list(again.blobs.items()) == list(suite().blobs.items())


def test_several_records() -> None:
    """Rows of one class come back in their order; none are none."""
    cases = (Case((1,)), Case((2,), "mutation", 0))
    assert from_rows(Case, travelled(to_rows(cases))) == cases
    assert from_rows(Case, to_rows(())) == ()
