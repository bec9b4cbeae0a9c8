"""The HumanEval contracts: what their files hold, accept, reject, repair and check."""

from __future__ import annotations

import ast
import itertools
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from support.backends import beside_sandboxes
from support.contracts import call, contract, faults, number, parameters

from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.grading.stability import same
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.contracts import load_contracts, parse
from evalplus_lite.types import Outcome, Raised, Returned, Task
from evalplus_lite.values import wire

REJECTED = {
    75: 6,  # 105 to 1001: "(a) is less then 100"
    78: 1,  # []: "receives a hexadecimal number as a string"
    116: 1,  # negative numbers: "an array of non-negative integers"
    129: 1,  # [[1, 3], [3, 2]]: "Every integer ... appears exactly once"
}
"""How many inputs of the original tests a contract rejects, by task number, and why."""

JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 10**30, -(10**30), 10**4400, 0.0, -0.5, 2.5, 1e308, 5e-324),
    *(math.nan, math.inf, -math.inf, 1j, b"", b"ab", "", " ", "a", "I", "12", "1.5", "(", "[]"),
    *("a b", "é", "ß", "Σας", "ǅ", "٣", "²", "\x00", "\n\t", "-", "1/0", "9" * 5000, "a" * 3000),
    *([], [[]], [None], [True], [1], [0, 0], [-1, 2], [1.5, 2], [math.nan], [math.inf, 1]),
    *([1e308] * 3, ["a"], ["a", "B"], ["a", 1], [""], ["+"], [[1, 2], [3, 4]], [[1], "x"]),
    *([[0, 1], [1, 0]], [{}], [10**4400], [[[[[]]]]], (), (1, 2), (2, 1), ("a",), {}, {"a": 1}),
    *({1: 2}, {None: 1, "b": 2}, set(), {1, 2}, frozenset("a")),
)
"""Plain values that are no input of most tasks, or a strange one."""


@pytest.fixture(scope="module")
def tasks(humaneval: Dataset) -> tuple[Task, ...]:
    return humaneval.tasks


def strange(task: Task) -> list[tuple[Any, ...]]:
    """Return junk for every parameter, and changed base inputs, valid or not."""
    count = len(parameters(contract(task), "precondition"))
    rng = random.Random(task.id)
    rows: list[tuple[Any, ...]] = [(junk,) * count for junk in JUNK]
    if count > 1:
        rows += [tuple(rng.choice(JUNK) for _ in range(count)) for _ in range(300)]
        for base in task.base[:3]:
            for place, junk in itertools.product(range(count), JUNK):
                rows.append((*base.arguments[:place], junk, *base.arguments[place + 1 :]))
    inputs = [case.arguments for case in task.base]
    generator = Generator(
        task.base,
        input_filter=InputFilter.typed(inputs),
        rng=rng,
        constants=Constants.of_task(task),
    )
    return rows + [case.arguments for case in generator.propose(60)]


def shown(row: Sequence[Any]) -> str:
    try:
        return repr(row)[:100]
    except ValueError:  # an integer of more than 4,300 digits
        return "a very long integer"


@dataclass(frozen=True, slots=True)
class Strange:
    """Strange inputs of a task, and what its precondition does on each."""

    rows: Sequence[tuple[Any, ...]]
    outcomes: Sequence[Outcome | None]


@pytest.fixture(scope="module")
def stranges(tasks: tuple[Task, ...]) -> dict[str, Strange]:
    def meet(sandbox: Sandbox, task: Task) -> Strange:
        rows = strange(task)
        return Strange(rows, call(sandbox, contract(task), "precondition", rows))

    return {task.id: met for task, met in zip(tasks, beside_sandboxes(meet, tasks), strict=True)}


def test_files_hold_what_the_format_asks_for(tasks: tuple[Task, ...]) -> None:
    """One for each task, in words; base inputs are accepted, references pass the tests."""
    names = [f"{number(task):03d}_{task.entry_point}" for task in load_dataset("humaneval").tasks]
    assert list(load_contracts("humaneval")) == names
    assert len(names) == 164
    for task in tasks:
        shown = parameters(task.prompt + "    pass\n", task.entry_point)
        assert parameters(contract(task), "precondition") == shown, task.id
    for task in tasks:
        tree = ast.parse(contract(task))
        assert (ast.get_docstring(tree) or "").partition("\n")[0].endswith((".", ",", ":")), task.id
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert):
                assert isinstance(node.msg, ast.Constant), f"{task.id}:{node.lineno}"
                assert "must" in str(node.msg.value), f"{task.id}:{node.lineno}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
                assert set(modules) <= sys.stdlib_module_names, f"{task.id}: {modules}"

    def rejected(sandbox: Sandbox, task: Task) -> int:
        inputs = [case.arguments for case in task.base]
        outcomes = call(sandbox, contract(task), "precondition", inputs)
        return sum(not isinstance(outcome, Returned) for outcome in outcomes)

    found = faults(tasks, rejected)
    assert found == {f"HumanEval/{key}": count for key, count in REJECTED.items()}

    def wrong(sandbox: Sandbox, task: Task) -> object:
        run = f"def _run():\n    check({task.entry_point})\n"
        source = "\n\n".join((task.reference, str(task.extra["test"]), run))
        (outcome,) = call(sandbox, source, "_run", [()])
        return None if isinstance(outcome, Returned) else outcome

    assert faults(tasks, wrong) == {}


def test_strange_inputs_are_refused_in_words_or_answered(
    stranges: dict[str, Strange], tasks: tuple[Task, ...]
) -> None:
    """No precondition raises otherwise or changes an argument; references answer the rest."""
    for id, met in stranges.items():
        refused = 0
        for row, outcome in zip(met.rows, met.outcomes, strict=True):
            if isinstance(outcome, Returned):
                assert wire.decode(outcome.data) is None, f"{id}: {shown(row)}"
            else:
                assert isinstance(outcome, Raised), f"{id}: {shown(row)}: {outcome}"
                assert outcome.type == "AssertionError", f"{id}: {shown(row)}: {outcome}"
                assert "must" in outcome.message, f"{id}: {shown(row)}: {outcome}"
                refused += 1
        assert refused, f"{id} refuses nothing"

    def wrong(sandbox: Sandbox, task: Task) -> list[str]:
        met = stranges[task.id]
        judged = zip(met.rows, met.outcomes, strict=True)
        accepted = [row for row, outcome in judged if isinstance(outcome, Returned)]
        answers = call(sandbox, task.reference, task.entry_point, accepted)
        both = zip(accepted, answers, strict=True)
        return [
            f"{shown(row)}: {answer}" for row, answer in both if not isinstance(answer, Returned)
        ]

    assert faults(tasks, wrong) == {}
    watcher = (
        "\n\ndef _changes(*arguments):\n"
        "    import copy, pickle\n"
        "    before = pickle.dumps(copy.deepcopy(arguments))\n"
        "    try:\n"
        "        precondition(*arguments)\n"
        "    except AssertionError:\n"
        "        pass\n"
        "    return pickle.dumps(copy.deepcopy(arguments)) != before\n"
    )

    def wrong(sandbox: Sandbox, task: Task) -> list[str]:
        rows = [*(case.arguments for case in task.base), *stranges[task.id].rows[-60:]]
        outcomes = call(sandbox, contract(task) + watcher, "_changes", rows)
        unchanged = wire.encode(False)
        both = zip(rows, outcomes, strict=True)
        return [
            f"{shown(row)}: {outcome}"
            for row, outcome in both
            if not isinstance(outcome, Returned) or outcome.data != unchanged
        ]

    assert faults(tasks, wrong) == {}


WRONG: dict[int, Sequence[tuple[list[Any], Any]]] = {
    20: [
        ([[1.0, 2.0, 4.0]], (1.0, 4.0)),
        ([[1.0, 2.0, 4.0]], (2.0, 1.0)),
        ([[1.0, 2.0, 4.0]], [1.0, 2.0]),
        ([[1.0, 2.0, 4.0]], (1.0, 1.0)),
        ([[1.0, 2.0, 4.0]], (2.5, 2.5)),
        ([[1.0, 1.0, 4.0]], (1.0, 4.0)),
        ([[1.0, 2.0, 4.0]], (math.nan, math.nan)),
    ],
    32: [
        ([[1, 2]], -0.4),
        ([[1, 2]], 0.5),
        ([[-6, 11, -6, 1]], 1.5),
        ([[1, 2]], math.nan),
        ([[1, 2]], math.inf),
        ([[1, 2]], True),
        ([[1, 2]], [-0.5]),
    ],
}
"""Wrong answers, by the number of a task with a check."""

RIGHT: dict[int, Sequence[tuple[list[Any], Any]]] = {
    20: [([[1.0, 2.0, 3.0]], (1.0, 2.0)), ([[1.0, 2.0, 3.0]], (2.0, 3.0)), ([[3, 1, 1]], (1, 1))],
    32: [([[-6, 11, -6, 1]], root) for root in (1, 2.0, 3.0000000001)],
}
"""Right answers where there are several."""


def test_checks_and_repaired_references(sandbox: Sandbox, tasks: tuple[Task, ...]) -> None:
    """Checks tell right from wrong; references answer as the originals where these are right."""
    checked = [task for task in tasks if parse(contract(task)).has_check]
    assert [number(task) for task in checked] == list(WRONG) == list(RIGHT)
    for task in checked:
        inputs = [case.arguments for case in task.base]
        answers = []
        for outcome in call(sandbox, task.reference, task.entry_point, inputs):
            assert isinstance(outcome, Returned), task.id
            answers.append(wire.decode(outcome.data))
        own = [(list(row), answer, answer) for row, answer in zip(inputs, answers, strict=True)]
        right = [(row, answer, None) for row, answer in RIGHT[number(task)]]
        wrong = [(row, answer, None) for row, answer in WRONG[number(task)]]
        numbers = (int, float)
        junk = [
            (list(inputs[0]), value, answers[0]) for value in JUNK if type(value) not in numbers
        ]
        for rows, verdict in ((own + right, True), (wrong + junk, False)):
            outcomes = call(sandbox, contract(task), "check", rows)
            data = wire.encode(verdict)
            for row, outcome in zip(rows, outcomes, strict=True):
                assert isinstance(outcome, Returned), f"{task.id} {row}: {outcome}"
                assert outcome.data == data, f"{task.id} {row}: not {verdict}"
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
    for task in tasks:
        if number(task) in MENDED:
            arguments, right = MENDED[number(task)]
            (ours,) = call(sandbox, task.reference, task.entry_point, [arguments])
            (theirs,) = call(sandbox, original(task), task.entry_point, [arguments])
            assert isinstance(ours, Returned), task.id
            if right is not None:
                assert wire.decode(ours.data) == right, task.id
            assert not isinstance(theirs, Returned) or ours.data != theirs.data, task.id


# The references in use pass the original tests, and mend the originals where these are wrong.


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
