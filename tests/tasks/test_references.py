"""The references in use pass the original tests, and mend the originals where these are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.contracts import call, contract, faults, number

from evalplus_lite.execution.processes import Processes
from evalplus_lite.generate.domains.constants import examples
from evalplus_lite.grading.stability import same
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Returned, Task
from evalplus_lite.values import wire


@pytest.fixture(scope="module")
def tasks() -> tuple[Task, ...]:
    with Processes(2) as backend:
        return with_base_cases(load_dataset("humaneval"), backend).tasks


def test_references_pass_the_original_tests(tasks: tuple[Task, ...]) -> None:
    """The reference in use, repaired or not, passes the task's own check."""

    def wrong(sandbox: Sandbox, task: Task) -> object:
        run = f"def _run():\n    check({task.entry_point})\n"
        source = "\n\n".join((task.reference, str(task.extra["test"]), run))
        (outcome,) = call(sandbox, source, "_run", [()])
        return None if isinstance(outcome, Returned) else outcome

    assert faults(tasks, wrong) == {}


AGREEING: dict[int, Sequence[tuple[Any, ...]]] = {
    22: [([4, {}, [], 23.2, 9, "a", None, [True], -(10**30)],), ([0.0, "0", 0],)],
    24: [(n,) for n in range(2, 400)],
    31: [(n,) for n in [*range(-5, 1000), 7919, 62837329]],
    36: [(n,) for n in [*range(0, 1000, 7), 4711, 77077, 99999]],
    44: [(x, base) for x in [*range(1, 60), 10**30] for base in range(2, 10)],
    49: [(n, p) for n in range(40) for p in range(2, 40)],
    55: [(n,) for n in range(18)],
    59: [(n,) for n in range(4, 500) if any(n % d == 0 for d in range(2, n))],
    60: [(n,) for n in range(1, 300)],
    63: [(n,) for n in range(16)],
    64: [(word,) for word in ("abcde", "ACEDY", "y", "Y", "xyz", "sky", "yes", "b", "AeIoU")],
    69: [([*range(1, n), 2, 2, 3, 3, 3, n],) for n in range(1, 30)],
    75: [(a,) for a in [*range(-1, 31), 98, 99, 105, 729, 1001]],
    76: [(x, n) for x in range(1, 70) for n in [*range(1, 12)]],
    94: [([*range(start, start + 20)],) for start in [*range(-3, 200, 7), 10**6]],
    95: [
        ({"a": 1},),
        ({"A": 1, "B": 2},),
        ({"a": 1, "B": 2},),
        ({},),
        ({3: 1},),
        ({"a": 1, 3: 2},),
    ],
    96: [(n,) for n in range(200)],
    97: [(a, b) for a in range(0, 200, 7) for b in range(0, 200, 9)],
    103: [(n, m) for n in range(1, 25) for m in range(1, 25)],
    122: [([*range(start, 300, 7)], k) for start in (0, 5, 95) for k in (1, 10, 20)],
    123: [(n,) for n in [*range(1, 200), 837799]],
    124: [(f"{month:02d}-{day:02d}-2020",) for month in range(14) for day in (0, 1, 28, 32)],
    127: [((0, a), (b, 40)) for a in range(30) for b in range(30)],
    140: [(text,) for text in ("", "a", " a", "a b", "a  b", "a   b", "   ", "    a  b c")],
    144: [(f"{a}/{b}", f"{c}/{a}") for a in range(1, 7) for b in range(1, 7) for c in range(1, 13)],
    147: [(n,) for n in range(1, 45)],
    150: [(n, "x", "y") for n in range(1, 300)],
    151: [([*range(start, 9)],) for start in range(-5, 9)] + [([2.5, 3, -1.5],)],
}
"""Inputs, by task number, on which the original reference is right and quick enough."""

MENDED: dict[int, tuple[tuple[Any, ...], Any]] = {
    22: (([0, False, True],), [0]),
    44: ((0, 2), "0"),
    49: ((0, 1), 0),
    64: (("",), 0),
    76: ((-8, -2), True),
    95: (({"a": 1, "b": 2, "C": 3},), False),
    97: ((-14, 3), 12),
    122: (([-10, 5], 2), -5),
    123: ((2**60 - 1,), None),
    124: (("12-31-1999",), True),
    140: (("a  ",), "a__"),
    144: ((f"{10**20 + 1}/2", "1/1"), False),
    150: ((0, 1, 2), 2),
    151: (([1e-05],), 0),
}
"""An input a task on which the original reference is wrong, with the answer by the prompt's words
(None: whatever the mended one says)."""


def original(task: Task) -> str:
    return task.prompt + str(task.extra["canonical_solution"])


def is_repaired(task: Task) -> bool:
    return task.entry_point in parse(contract(task)).functions


def test_repaired_references_agree_with_right_originals(tasks: tuple[Task, ...]) -> None:
    """A repaired reference answers as the original where that is right."""
    repaired = [task for task in tasks if is_repaired(task)]
    assert [number(task) for task in repaired] == list(AGREEING)

    def wrong(sandbox: Sandbox, task: Task) -> list[str]:
        rows = [*examples(task.prompt, task.entry_point), *AGREEING[number(task)]]
        if number(task) == 97:
            rows = [row for row in rows if min(row) >= 0]
        ours, theirs = (
            call(sandbox, source, task.entry_point, rows)
            for source in (task.reference, original(task))
        )
        return [
            f"{row!r}: {left}, {right}"
            for row, left, right in zip(rows, ours, theirs, strict=True)
            if not isinstance(left, Returned)
            or not isinstance(right, Returned)
            or not same(left.data, right.data, task)
        ]

    assert faults(repaired, wrong) == {}


def test_repairs_mend_what_was_wrong(sandbox: Sandbox, tasks: tuple[Task, ...]) -> None:
    """Where a file says that the original was wrong, it is, and the repaired reference is not."""
    for task in tasks:
        if number(task) in MENDED:
            arguments, right = MENDED[number(task)]
            (ours,) = call(sandbox, task.reference, task.entry_point, [arguments])
            (theirs,) = call(sandbox, original(task), task.entry_point, [arguments])
            assert isinstance(ours, Returned), task.id
            if right is not None:
                assert wire.decode(ours.data) == right, task.id
            assert not isinstance(theirs, Returned) or ours.data != theirs.data, task.id
