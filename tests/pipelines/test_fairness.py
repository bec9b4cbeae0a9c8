"""Suites are fair: no correctness case that a right program of another design may fail."""

from __future__ import annotations

from support.tasks import make_task

from evalplus_lite.pipelines.work.augmentation import augment_task
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case


def test_ties_are_left_out_and_told(sandbox: Sandbox) -> None:
    """No input to be sorted by length has strings of one length that may stand either way."""
    reference = "def f(x): return sorted(x, key=len)\n"
    task = make_task([(["a", "bb", ""],)], reference=reference)
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20, batch=60))
    for case in found.suite.cases:
        strings, *mirrored = case.arguments[0], *reversed(case.arguments[0])
        assert sorted(strings, key=len) == sorted(mirrored, key=len)
    assert found.dropped["tie"] > 0
    assert any("several right answers" in note for note in found.notes)


def test_what_asks_too_much_becomes_stress(sandbox: Sandbox) -> None:
    """A number that a program may count up to is a stress case, with its reason and its answer."""
    contract = "def precondition(x): assert type(x) is int and x >= 0\n"
    reference = "def f(x): return x * (x + 1) // 2\n"
    task = make_task([(1,), (3,)], reference=reference, contract=contract)
    seeds = [Case((10**12,), "llm"), Case((77,), "llm")]
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20), seeds=seeds)
    assert (77,) in [case.arguments for case in found.suite.cases]
    assert all(abs(case.arguments[0]) <= 10**6 for case in found.suite.cases)
    assert found.suite.stress is not None
    assert (10**12,) in [case.arguments for case in found.suite.stress.cases]
    assert all(case.reason for case in found.suite.stress.cases)
