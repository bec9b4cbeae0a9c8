"""Inputs with several right answers: found by running the reference as if ties fell otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.screens import FreeOrders, SizeLimits
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Rule


def tied(sandbox: Sandbox, body: str, base: list[Any], new: list[Any], **options: Any) -> list[Any]:
    """Return which new inputs have several right answers, by the task's base inputs."""
    reference = f"import heapq\nfrom collections import Counter\ndef f(x):\n    {body}\n"
    task = make_task([(value,) for value in base], reference=reference, **options)
    limits = Limits(cpu=1.0)
    suite = answer(sandbox, task, task.base, base_count=len(base), limits=limits).suite
    orders = FreeOrders.of(sandbox, task, suite)
    cases = [Case((value,)) for value in new]
    suite = answer(sandbox, task, cases, base_count=0, limits=limits).suite
    return [suite.cases[place].arguments[0] for place in sorted(orders.other(sandbox, suite))]


@pytest.mark.parametrize(
    ("body", "base", "tie", "clear"),
    [
        ("return sorted(x, key=len)", ["a", "bb"], ["a", "b"], ["bb", "a"]),
        ("return sorted(x, key=len)", ["a", "bb"], ["a", "b", "a"], ["a", "a"]),
        ("x.sort(key=len, reverse=True); return x", ["a", "bb"], ["a", "b"], ["bb", "a"]),
        ("return max(x, key=len)", ["a", "bb"], ["a", "b"], ["a", "a"]),
        ("return min(*x, key=abs)", [1, -2], [1, -1], [1, -3]),
        ("return Counter(x).most_common(1)[0][0]", [1, 2, 2], [2, 1], [1, 2, 1]),
        ("return heapq.nlargest(1, x, key=len)", ["a", "bb"], ["a", "b"], ["bb", "a"]),
        ("return list(set(x))", [1, 2, 2], [100, 7, 3, 50], [1, 2]),
        ("return [y for y in {*x} - {0}]", [0, 1], [9, 8, 7], [0, 1]),
        ("return {y for y in x}", [0, 1], [], [9, 8, 7]),
        ("return sorted(sorted(x), key=len)", ["a", "bb"], [], ["b", "a"]),
        ("return sum(sorted(x, key=abs))", [1, -2], [], [1, -1]),
    ],
)
def test_an_order_that_nothing_settles(
    sandbox: Sandbox, body: str, base: list[Any], tie: list[Any], clear: list[Any]
) -> None:
    """A tie is an input on which the reference could as well answer otherwise; others are not."""
    assert tied(sandbox, body, [base], [tie, clear] if tie else [clear]) == ([tie] if tie else [])


def test_who_settles_an_order(sandbox: Sandbox) -> None:
    """The task's own tests, its rule or check; a contract that bounds numbers is believed."""
    body = "return sorted(x, key=len)"
    assert tied(sandbox, body, [["a", "b"]], [["c", "b"]]) == []
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]]) == [["c", "b"]]
    body = "return sorted(x, key=len)"
    rule = Rule("unordered")
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]], rule=rule) == []
    check = "def check(inputs, output, expected):\n    return sorted(output) == sorted(expected)\n"
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]], contract=check) == []
    assert not is_asked(sandbox, LOOP, 10, 40_000, contract=BOUNDED)
    unbounded = "def precondition(x):\n    assert type(x) is int\n"
    assert is_asked(sandbox, LOOP, 10, 40_000, contract=unbounded)


# What a case asks of right programs of another design: counted, and compared with the task's.

LOOP = "def f(x):\n    total = 0\n    for i in range(x): total += i\n    return total\n"
FORMULA = "def f(x): return x * (x + 1) // 2\n"
DIGITS = "def f(x): return sum(map(int, str(x)))\n"
PAIRS = "def f(x): return sum(a > b for i, a in enumerate(x) for b in x[i:])\n"
TABLE = (
    "def f(x):\n    t = [0]\n    for i in range(1, x + 1): t.append(t[i // 2] + i)\n    return t[x]"
)
ROLLING = "def f(x):\n    a, b = 0, 1\n    for _ in range(x): a, b = b, a + b\n    return a\n"
HIGHEST = "def f(x):\n    i = 0\n    while 1 << i <= x: i += 1\n    return 1 << (i - 1)\n"
BOUNDED = "def precondition(x):\n    assert type(x) is int and 0 <= x <= 50_000\n"


def is_asked(sandbox: Sandbox, reference: str, base: Any, new: Any, **options: Any) -> bool:
    """Whether a new input asks for more than right programs bear, by the task's base input."""
    task = make_task([(base,)], reference=reference, **options)
    steps = reference_steps(sandbox, task, [Case((new,))], most=2_000_000)
    (reason,) = SizeLimits.of(sandbox, task).demands([Case((new,))], steps)
    return bool(reason)


@pytest.mark.parametrize(
    ("reference", "base", "bearable", "too_much"),
    [
        (LOOP, 10, 300, 3_000),  # others may loop within the loop
        (LOOP, 2_000, 3_000, 250_000),  # right programs bear what the task's own case asks for
        (TABLE, 30, 60, 61),  # others may call themselves
        (ROLLING, 30, 60, 61),
        (FORMULA, 10, 10**6, 10**7),  # others may add up
        (DIGITS, 10, 10**30, "1" * 901),  # nobody counts up to a number that is taken apart
        ("def f(x): return 1 << (x - 1)", 4, 900, 901),  # others fill a table
        (HIGHEST, 10, 10**30, [1] * 901),  # nobody does for a number that is halved
        (PAIRS, [2, 1], [1] * 300, [1] * 901),
        ("def f(x): return len(x)", "ab", "a" * 900, "a" * 901),  # a call for each, perhaps
        ("def f(x): return len(x)", "a" * 2000, "a" * 2000, "a" * 2001),
        ("def f(x): return x[0]", [[1]], [[1] * 60] * 50, [[1] * 60] * 60),
    ],
)
def test_what_right_programs_bear(
    sandbox: Sandbox, reference: str, base: Any, bearable: Any, too_much: Any
) -> None:
    """A case is bearable up to a size that follows from the reference and the task's own case."""
    assert not is_asked(sandbox, reference, base, bearable)
    assert is_asked(sandbox, reference, base, too_much)
