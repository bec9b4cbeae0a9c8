"""Programs that count their own steps: exact, and judged alike together and alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.tasks import make_task

from evalplus_lite.grading.metered import MeteredSuite
from evalplus_lite.grading.oracle import answer
from evalplus_lite.programs.mutation.mutants import mutants
from evalplus_lite.programs.mutation.variants import may_share
from evalplus_lite.reduction import kills
from evalplus_lite.reduction.kills import KillSuite
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Suite, Task

REFERENCE = "def f(items):\n    return sorted(items)\n"
CASES = [[2, 1], [], [3, 3, 1], [5], [1, 2]]
PROGRAMS = {
    "right": REFERENCE,
    "does not load": "def f(items:\n",
    "raises while loading": "raise OSError\n",
    "no such function": "def g(items): return items\n",
    "changes its arguments": "def f(items):\n    items.sort()\n    return items\n",
    "wrong": "def f(items):\n    return items\n",
    "never ends": "def f(items):\n    while True: pass\n",
    "never ends, and catches": "def f(items):\n    while True:\n        try:\n"
    "            while True: items.count(1)\n        except BaseException: pass\n",
    "eats memory": "def f(items):\n    return 'A' * (1 << 34)\n",
    "grows": "def f(items):\n    while True: items += [0] * 10_000\n",
    "ends its process": "import os\ndef f(items):\n    os._exit(3)\n",
    "a built-in that never ends": "def f(items):\n    return sum(iter(int, 1))\n",
    "recurs": "def f(items):\n    return f(items)\n",
    "draws": "import random\ndef f(items):\n    return [random.random() < 2] and sorted(items)\n",
    "reads its description": "def f(items):\n    'text'\n"
    "    return sorted(items) if f.__doc__ == 'text' else 0\n",
    "nested deeply": "def f(items):\n    return sorted(items)\nX = " + "+".join("1" * 2500) + "\n",
}


@pytest.fixture(scope="module")
def task() -> Task:
    return make_task([(case,) for case in CASES], reference=REFERENCE)


@pytest.fixture(scope="module")
def suite(sandbox: Sandbox, task: Task) -> Suite:
    return answer(sandbox, task, task.cases, base_count=2, limits=Limits(cpu=10.0)).suite


def prepared(task: Task, suite: Suite, *, together: int, steps: int = 10_000) -> MeteredSuite:
    count = len(suite.cases)
    return MeteredSuite.of(
        task,
        suite,
        [steps] * count,
        [0.3] * count,
        memory=1 << 26,
        failure_budget=2,
        costs=dict.fromkeys(("timeout", "memory", "crash"), 1),
        together=together,
    )


def test_programs_in_one_process_are_judged_as_if_alone(
    sandbox: Sandbox, task: Task, suite: Suite
) -> None:
    """Whatever one does, the others' rows are theirs; who exhausts resources is soon left."""
    sources = list(PROGRAMS.values())
    rows = list(prepared(task, suite, together=len(sources)).rows(sandbox, sources))
    assert rows == list(prepared(task, suite, together=1).rows(sandbox, sources))
    found = dict(zip(PROGRAMS, rows, strict=True))
    assert set(found.pop("right")) == {"pass"}
    assert set(found.pop("changes its arguments")) == {"pass"}
    assert set(found.pop("draws")) == {"pass"}
    assert set(found.pop("reads its description")) == {"pass"}
    assert set(found.pop("nested deeply")) == {"pass"}
    assert found.pop("wrong") == ("fail", "pass", "fail", "pass", "pass")
    for name in ("does not load", "raises while loading", "no such function", "recurs"):
        assert set(found.pop(name)) == {"error"}, name
    for name, row in found.items():
        assert row[:2].count("pass") == row[:2].count(None) == 0, name
        assert set(row[2:]) == {None}, name


def test_steps_are_counted_exactly(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """As many as allowed pass; all of a program are bounded; samples share no process."""
    reference = "def f(n):\n    for i in range(n): pass\n    return n\n"
    loop = make_task([(5_000,), (5_001,)], reference=reference)
    answers = answer(sandbox, loop, loop.cases, base_count=1, limits=Limits(cpu=10.0)).suite
    (row,) = prepared(loop, answers, together=1, steps=5_002).rows(sandbox, [reference])
    assert row == ("pass", "timeout")
    loop = make_task([(100,)] * 4, reference=reference)
    answers = answer(sandbox, loop, loop.cases, base_count=1, limits=Limits(cpu=10.0)).suite
    steps, wrong = [150] * 4, reference.replace("return n", "return -n")
    metered = MeteredSuite.of(
        loop,
        answers,
        steps,
        [0.3] * 4,
        memory=1 << 26,
        costs={},
        failure_budget=1,
        together=2,
        total=300,
    )
    first, second = metered.rows(sandbox, [reference, wrong])
    assert first == ("pass", "pass", None, None)
    assert second == ("fail", "fail", None, None)
    wrong = [
        f"def f(items):\n    return sorted(items) if len(items) != {n} else 0\n" for n in range(4)
    ]
    rows = list(prepared(task, suite, together=3).rows(sandbox, wrong * 2))
    expected = [tuple("fail" if len(case) == n else "pass" for case in CASES) for n in range(4)] * 2
    assert rows == expected
    assert Case(([2, 1],)) == suite.cases[0]  # nobody changed ours
    steps = [1] * len(suite.cases)
    assert KillSuite.of_samples(task, suite, steps).metered.together == 1
    assert KillSuite.of_samples(task, suite, steps, most=9).metered.together == 1


HOSTILE = {
    "sleeps": ("import time\ndef f(x):\n    time.sleep(0.05)\n    return 0\n", 1),
    "works in one call": ("def f(x):\n    sum(range(2_000_000))\n    return 0\n", 1),
    "ends its process": ("import os\ndef f(x):\n    os._exit(1)\n", kills.MOST_LOST),
    "has no memory": ("def f(x):\n    return [0] * (1 << 40)\n", kills.MOST_LOST),
    "fails": ("def f(x):\n    return 0\n", 60),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_sample_holds_up_a_run(sandbox: Sandbox, name: str) -> None:
    """Who waits or works uncounted on all cases is known by the first that rejects it, who loses
    process after process by a few."""
    task = make_task([(n,) for n in range(1, 61)])
    suite = answer(sandbox, task, task.cases, base_count=2, limits=Limits(cpu=10.0)).suite
    whole = KillSuite.of_samples(task, suite, [3] * 60)
    source, count = HOSTILE[name]
    if count == 1:
        limits = replace(whole.metered.prepared.limits, total=0.2, idle=0.2)
        metered = replace(whole.metered, prepared=replace(whole.metered.prepared, limits=limits))
        whole = replace(whole, metered=metered)
    (found,) = whole.kills(sandbox, [source])
    assert (found.killed, found.run) == ((1 << count) - 1,) * 2


SIEVE = """
SIEVE = [True] * (1 << 20)

def f(x):
    return next((n for n in (2, 3, 5, 7) if SIEVE[n] and x % n == 0), x)
"""
PRECISE = """
import decimal

def f(x):
    decimal.getcontext().prec = 9
    return str(decimal.Decimal(x) / 7)
"""
DEEP = """
import sys

def f(x):
    sys.setrecursionlimit(5000)
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)
    return depth(500 * x)
"""


@pytest.mark.parametrize(
    ("reference", "count"),
    [(SIEVE, 12), (PRECISE, 24), (DEEP, 24)],
    ids=["memory", "context", "limit"],
)
def test_no_mutant_inherits_from_the_one_before(
    sandbox: Sandbox, reference: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither memory nor what outlives a program: each has the kills that it has alone."""
    task = make_task([(1,), (2,), (3,)], reference=reference)
    suite = answer(sandbox, task, task.cases, base_count=1, limits=Limits(cpu=10.0)).suite
    sources = [mutant.source for mutant in mutants(reference)][:count]
    steps = [2_000] * len(suite.cases)
    found = list(KillSuite.of_mutants(sandbox, task, suite, steps).kills(sandbox, sources))
    monkeypatch.setattr(kills, "TOGETHER", 1)
    alone = KillSuite.of_mutants(sandbox, task, suite, steps)
    assert found == list(alone.kills(sandbox, sources))


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("import math\nfrom re import sub as s\ndef f(x):\n    f.known = x\n", True),
        ("def f(x):\n    import os.path\n", False),
        ("def f(x):\n    from . import math\n", False),
        ("import math\ndef f(x):\n    math.pi = 3\n", False),
        ("import math as m\ndel m.pi\n", False),
        ("def f(x):\n    return eval(x)\n", False),
        ("def f(x:\n", False),
        ("class A:\n    def f(self):\n        return [f(x) for x in self]\n", True),
        ("from functools import cache\n@cache\ndef f(x):\n    return sum(x)\n", True),
        ("TABLE = []\nfor i in range(10**7):\n    TABLE.append(i)\n", False),
        ("X = " + "+".join("1" * 2500) + "\n", True),
        ("class A:\n    TABLE = [i for i in B]\n", False),
    ],
)
def test_who_may_share_a_process(text: str, shared: bool) -> None:
    """The mutants of programs that change nothing but what is theirs, and are loaded at once."""
    assert may_share(text) is shared
