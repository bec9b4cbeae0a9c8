"""Inputs with several right answers: found by running the reference as if ties fell otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.screens import FreeOrders
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


def test_base_cases_settle_an_order(sandbox: Sandbox) -> None:
    """Where the task's own tests have a tie, who comes first is part of the task."""
    body = "return sorted(x, key=len)"
    assert tied(sandbox, body, [["a", "b"]], [["c", "b"]]) == []
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]]) == [["c", "b"]]


def test_a_rule_or_check_may_take_any_order(sandbox: Sandbox) -> None:
    """What the comparison lets pass is no other answer."""
    body = "return sorted(x, key=len)"
    rule = Rule("unordered")
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]], rule=rule) == []
    check = "def check(inputs, output, expected):\n    return sorted(output) == sorted(expected)\n"
    assert tied(sandbox, body, [["a", "bb"]], [["c", "b"]], contract=check) == []
