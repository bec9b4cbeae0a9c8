"""Counting steps: how much a program does, the same on every machine."""

from __future__ import annotations

import textwrap

import pytest
from support.tasks import make_task

from evalplus_lite.grading.oracle import answer
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance, Meter, count
from evalplus_lite.types import Returned, TimedOut

LIMITS = Limits(cpu=0.2, wait=0.5)


def steps(sandbox: Sandbox, source: str, *cases: int, most: int = FEWEST) -> list[int | None]:
    inputs = Inputs.of([(case,) for case in cases])
    return count(sandbox, Program(source, "f"), inputs, LIMITS, most=most)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(n):\n    'text'\n    return n\n", 2),  # a description is a statement, too
        ("def f(n):\n    for i in range(n): pass\n", 11),
        ("def f(n):\n    while n:\n        n -= 1\n    else:\n        n = 1\n    return n\n", 13),
        ("def f(n): return sum(i * i for i in range(n))\n", 11),
        ("def f(n): return [i for i in range(n) for j in range(n)]\n", 111),
        ("f = lambda n: n and f(n - 1)\n", 11),
        ("def f(n):\n    if n > 3: a = 1; b = 2\n    else: a = 3\n", 3),
        ("def f(n):\n    try:\n        raise OSError\n    except OSError:\n        return 1\n", 3),
        ("def f(n):\n    match n:\n        case 10: return 1\n        case _: a = b = 2\n", 2),
        ("class C:\n    def g(self): return 1\ndef f(n):\n    return [C().g() for _ in 'ab']\n", 5),
        ("import enum\nclass E(enum.Enum):\n    A = 1\ndef f(n): return len(E)\n", 1),
        ("from __future__ import annotations\ndef f(n: C): return n\n", 1),
        ("def f(n):\n    def g():\n        nonlocal n\n        n = 3\n    g()\n    return n\n", 4),
        ("def f(n):\n    yield 1\n", 0),  # nobody takes anything from it
    ],
)
def test_statements_and_items_are_counted(sandbox: Sandbox, source: str, expected: int) -> None:
    """Each executed statement is a step, and each item that a comprehension takes."""
    assert steps(sandbox, source, 10) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    while True: pass\n",
        "def f(n):\n    while True:\n        try:\n            while True: n += 1\n"
        "        except BaseException: pass\n",
        "def f(n):\n    try:\n        while True: pass\n"
        "    except BaseException: raise MemoryError\n",
        "import itertools\ndef f(n): return [i for i in itertools.count()]\n",
        "import itertools\ndef f(n): return any(i < 0 for i in itertools.count())\n",
    ],
)
def test_what_does_not_end_is_stopped(sandbox: Sandbox, source: str) -> None:
    """A program that takes more steps than allowed ends soon after, whatever it catches."""
    (found,) = steps(sandbox, source, 1)
    assert found is not None
    assert FEWEST < found < FEWEST + 10_000


def test_what_cannot_be_counted_takes_no_step(sandbox: Sandbox) -> None:
    """A program that ends its process, or is no program, is not held to take too long."""
    assert steps(sandbox, "import os\ndef f(n): os._exit(0)\n", 1, 2) == [0, 0]
    assert steps(sandbox, "def f(n:\n", 1, 2) == [0, 0]


def test_a_built_in_that_never_ends_has_no_patience_left(sandbox: Sandbox) -> None:
    """Work in one call is no step: its CPU time has a limit of its own."""
    assert steps(sandbox, "def f(n): return sum(iter(int, 1))\n", 1) == [None]


def test_a_case_is_asked_about_by_its_steps_alone(sandbox: Sandbox) -> None:
    """Long beyond the first limit, a case goes on within its steps, and is stopped beyond them."""
    source = "def f(n):\n    for i in range(n): sorted([i])\n    return n\n"
    cases = [(5,), (FEWEST - 10,), (FEWEST + 10,), (6,)]
    meter = Meter(sandbox, Program(source, "f"), cases, LIMITS)
    assert meter.limits.cpu < 0.02
    found = meter.run(Inputs.of(cases)).outcomes
    assert [type(outcome) for outcome in found] == [Returned, Returned, TimedOut, Returned]


def test_slow_inputs_are_dropped_by_count(sandbox: Sandbox) -> None:
    """What the reference needs too many steps for is dropped; a crash after them counts alike."""
    reference = (
        "import os\ndef f(n):\n    for i in range(abs(n)): pass\n"
        "    if n < 0: os._exit(3)\n    return n\n"
    )
    many = Allowance.of(0.2).steps + 2_000  # counts are handed over by the thousand
    task = make_task([(1,), (many,), (-many,), (-5,), (many // 2,)], reference=reference)
    found = answer(sandbox, task, task.cases, base_count=5, limits=LIMITS)
    assert [drop.cause for drop in found.dropped] == ["slow", "slow", "crashes"]
    assert found.kept == (0, 4)


def test_searches_in_lists_are_steps(sandbox: Sandbox) -> None:
    """A loop of few statements that goes through a long list each time is no small work."""
    source = """
        def f(n):
            items = list(range(n))
            found = 0
            while found < 10:
                found += 1
                items.remove(n - found)
                if n in items: return
    """
    few, many = steps(sandbox, textwrap.dedent(source), 640, 64_000)
    assert few is not None
    assert many is not None
    assert many - few > 15_000
