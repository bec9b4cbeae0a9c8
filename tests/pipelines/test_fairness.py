"""Suites are fair: no correctness case that a right program of another design may fail."""

from __future__ import annotations

from support.tasks import make_task

from evalplus_lite.jobs.workers.augmentation import augment_task
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case

ANY = "def precondition(x): assert type(x) is int and x >= 0\n"


def test_ties_are_left_out_and_told(sandbox: Sandbox) -> None:
    """No input to be sorted by length has two strings of one length."""
    reference = "def f(x): return sorted(x, key=len)\n"
    task = make_task([(["a", "bb", ""],)], reference=reference)
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20, batch=60))
    for case in found.suite.cases:
        strings = set(case.arguments[0])
        assert len(strings) == len(set(map(len, strings)))
    assert found.dropped["tie"] > 0
    assert any("several right answers" in note for note in found.notes)


def test_what_asks_too_much_becomes_stress(sandbox: Sandbox) -> None:
    """A number that a program may count up to is a stress case, with its reason and its answer."""
    reference = "def f(x): return x * (x + 1) // 2\n"
    task = make_task([(1,), (3,)], reference=reference, contract=ANY)
    seeds = [Case((10**12,), "llm"), Case((77,), "llm")]
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20), seeds=seeds)
    assert (77,) in [case.arguments for case in found.suite.cases]
    assert all(abs(case.arguments[0]) <= 10**6 for case in found.suite.cases)
    assert found.suite.stress is not None
    reasons = {case.arguments: case.reason for case in found.suite.stress.cases}
    assert "count up" in reasons[10**12,]


def test_what_right_programs_are_slow_for_becomes_stress(sandbox: Sandbox) -> None:
    """Programs that pass the base cases and count to a million billion say so by their steps."""
    task = make_task([(1,), (3,)], reference="def f(x): return x + x\n", contract=ANY)
    loop = "def f(x):\n    n = {}\n    while n < 2 * x: n += 1\n    return n\n"
    programs = [loop.format(start) for start in ("0", "-1")] + ["def f(x): return 2 * x"]
    seeds = [Case((10**15,), "llm"), Case((77,), "llm")]
    budget = Budget(inputs=2)
    alone = augment_task(sandbox, task, seed=0, budget=budget, seeds=seeds)
    assert [case.arguments for case in alone.suite.cases[2:]] == [(10**15,), (77,)]
    found = augment_task(sandbox, task, seed=0, budget=budget, seeds=seeds, samples=programs)
    assert (10**15,) not in [case.arguments for case in found.suite.cases]
    assert found.suite.stress is not None
    reasons = {case.arguments: case.reason for case in found.suite.stress.cases}
    assert "2 of 3 programs" in reasons[10**15,]
