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

from evalplus_lite.execution.processes import Processes
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import load_contracts, parse
from evalplus_lite.tasks.published.base_cases import with_base_cases
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
def tasks() -> tuple[Task, ...]:
    with Processes(2) as backend:
        return with_base_cases(load_dataset("humaneval"), backend).tasks


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


def test_every_task_has_its_file() -> None:
    """Each task of HumanEval has one file, named by its number and entry point, and no other is."""
    names = [f"{number(task):03d}_{task.entry_point}" for task in load_dataset("humaneval").tasks]
    assert list(load_contracts("humaneval")) == names
    assert len(names) == 164


def test_preconditions_take_the_tasks_parameters(tasks: tuple[Task, ...]) -> None:
    """A precondition has exactly the parameters of the function that the prompt shows."""
    for task in tasks:
        shown = parameters(task.prompt + "    pass\n", task.entry_point)
        assert parameters(contract(task), "precondition") == shown, task.id


def test_files_hold_what_the_format_asks_for(tasks: tuple[Task, ...]) -> None:
    """A file says what it accepts, imports the standard library alone, and words each assertion."""
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


def test_base_inputs_are_accepted(tasks: tuple[Task, ...]) -> None:
    """The original tests' inputs are accepted, but for those that break the prompt's words."""

    def rejected(sandbox: Sandbox, task: Task) -> int:
        inputs = [case.arguments for case in task.base]
        outcomes = call(sandbox, contract(task), "precondition", inputs)
        return sum(not isinstance(outcome, Returned) for outcome in outcomes)

    found = faults(tasks, rejected)
    assert found == {f"HumanEval/{key}": count for key, count in REJECTED.items()}


def test_strange_inputs_are_refused_in_words(stranges: dict[str, Strange]) -> None:
    """On whatever values a precondition returns None or raises AssertionError with a message."""
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


def test_what_is_accepted_has_an_answer(
    tasks: tuple[Task, ...], stranges: dict[str, Strange]
) -> None:
    """The reference answers every strange input that the contract accepts, in good time."""

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


def test_arguments_are_left_alone(tasks: tuple[Task, ...], stranges: dict[str, Strange]) -> None:
    """A precondition changes none of its arguments, whether it accepts them or not."""
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


def test_checks_tell_right_from_wrong(sandbox: Sandbox, tasks: tuple[Task, ...]) -> None:
    """A check takes the reference's answer and other right ones, and no wrong or strange one."""
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
