"""What a case asks of right programs of another design: counted, and compared with the task's."""

from __future__ import annotations

from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.grading.screens import SizeLimits
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case

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


def test_a_contract_that_bounds_numbers_is_believed(sandbox: Sandbox) -> None:
    """Who wrote a bound thought of how long programs take; a bound on types is none."""
    assert not is_asked(sandbox, LOOP, 10, 40_000, contract=BOUNDED)
    unbounded = "def precondition(x):\n    assert type(x) is int\n"
    assert is_asked(sandbox, LOOP, 10, 40_000, contract=unbounded)
