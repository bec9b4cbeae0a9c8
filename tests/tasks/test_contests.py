"""Sets of contest problems, in the forms in which they are published, written here by hand."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import Task

SCRIPT = "a, b = map(int, input().split())\nprint(a / b)\n"
METHOD = "class Solution:\n    def ratio(self, a, b):\n        return [a // b]\n"
FUNCTION = "def ratio(a, b):\n    return [a // b]\n"
STREAMS = {"inputs": ["1 2\n", ["6 3", ""]], "outputs": ["0.5\n", ["2.0", ""]]}
CALLS = {"fn_name": "ratio", "inputs": [[7, 2], [4, 2]], "outputs": [[[3]], [2]]}


def apps(**more: Any) -> dict[str, Any]:
    return {
        "problem_id": 7,
        "question": "Print a / b.",
        "solutions": json.dumps(["print 'old'", SCRIPT]),
        "input_output": json.dumps(STREAMS),
        "difficulty": "introductory",
        "url": "",
        "starter_code": "",
    } | more


def taco() -> dict[str, Any]:
    row = apps(raw_tags="[]", tags="[]", picture_num=None)
    del row["problem_id"]
    return row


def codecontests(**more: Any) -> dict[str, Any]:
    return {
        "name": "1_A. Ratio",
        "description": "Print a / b.",
        "public_tests": {"input": ["1 2\n"], "output": ["0.5\n"]},
        "private_tests": {"input": [], "output": []},
        "generated_tests": {"input": ["6 3\n"], "output": ["2.000001\n"]},
        "solutions": {"language": [2, 1, 3], "solution": ["int main() {}", "print 1", SCRIPT]},
        "input_file": "",
        "output_file": "",
    } | more


def livecodebench(hidden: Any, *, kind: str = "stdin", **more: Any) -> dict[str, Any]:
    test = {"input": "1 2\n", "output": "0.50", "testtype": kind}
    if kind == "functional":
        test = {"input": "7\n2", "output": "[3]", "testtype": kind}
    return {
        "question_id": "abc1_a",
        "question_content": "Print a / b.",
        "platform": "atcoder",
        "starter_code": "",
        "public_test_cases": json.dumps([test]),
        "private_test_cases": hidden,
        "metadata": "{}",
    } | more


def packed(value: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


HIDDEN = json.dumps([{"input": "6 3\n", "output": "2", "testtype": "stdin"}])
LCB_METHOD = {
    "starter_code": "class Solution:\n    def ratio(self, a: int, b: int):\n        ",
    "metadata": '{"func_name": "ratio"}',
}


def loaded(folder: Path, row: dict[str, Any]) -> Task:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (task,) = load_dataset(path, strict=True)
    return task


COUNT = "def count(n):\n    return list(range(n))\n"
LISTS = {"fn_name": "count", "inputs": [[1], [2]], "outputs": [[0], [0, 1]]}

CASES: dict[str, tuple[dict[str, Any], str, str, str, int]] = {
    # row, id, a right program, a wrong one, cases
    "apps": (apps(), "APPS/7", SCRIPT, SCRIPT.replace("/ b", "// b"), 2),
    "apps, a function": (
        apps(input_output=json.dumps(CALLS), solutions=json.dumps([FUNCTION])),
        "APPS/7",
        FUNCTION,
        FUNCTION.replace("//", "/"),
        1,
    ),
    "apps, a function that returns a list, of one item once": (
        apps(input_output=json.dumps(LISTS), solutions=json.dumps([COUNT])),
        "APPS/7",
        COUNT,
        COUNT.replace("range(n)", "range(1, n)"),
        2,
    ),
    "apps, a method": (
        apps(input_output=json.dumps(CALLS), solutions="", starter_code=METHOD),
        "APPS/7",
        METHOD.replace("[a // b]", "[3] if a == 7 else 2"),
        FUNCTION,
        2,
    ),
    "taco": (taco(), "TACO/0", SCRIPT, "print(0.5)", 2),
    "codecontests": (codecontests(), "1_A. Ratio", SCRIPT, "print(0.5)", 2),
    "livecodebench": (livecodebench(HIDDEN), "LiveCodeBench/abc1_a", "", "print(2)", 2),
    "livecodebench, packed": (
        livecodebench(packed(HIDDEN)),
        "LiveCodeBench/abc1_a",
        "a, b = map(int, input().split())\nprint(0.5 if a < b else 2)",
        SCRIPT.replace("/", "//"),
        2,
    ),
    "livecodebench, a method": (
        livecodebench("[]", kind="functional", **LCB_METHOD),
        "LiveCodeBench/abc1_a",
        METHOD,
        METHOD.replace("//", "/"),
        1,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_become_tasks_that_judge(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    """Their tests are base cases; right programs pass them, wrong ones do not."""
    row, id, right, wrong, count = CASES[name]
    task = loaded(tmp_path, row)
    assert (task.id, task.style) == (id, "solution")
    assert bool(task.reference) != name.startswith(("livecodebench", "apps, a method"))
    answers = SuiteSource(cache=None, limits=Limits(cpu=2.0)).usable(sandbox, task)
    assert len(answers.suite.cases) == count
    prepared = PreparedSuite.of(task, answers.suite, preset("paper"))
    if right:
        assert evaluate_program(sandbox, prepared, right).passed
    assert not evaluate_program(sandbox, prepared, wrong).passed


class Evil:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return (print, ("run",))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (apps(input_output=""), "without tests"),
        (apps(input_output="{"), "input_output"),
        (apps(input_output=json.dumps({"inputs": ["1"], "outputs": []})), "1 inputs and 0 outputs"),
        (apps(input_output=json.dumps(CALLS | {"fn_name": "f()"})), "fn_name"),
        (codecontests(input_file="input.txt"), "file"),
        (codecontests(public_tests={"input": ["1"], "output": []}), "public_tests"),
        (livecodebench(packed([HIDDEN])), "pickle of more than a text"),
        (livecodebench(packed(Evil())), "pickle of more than a text"),
        (livecodebench(packed(HIDDEN)[:40]), "private_test_cases"),
        (livecodebench("%%%"), "private_test_cases"),
        (livecodebench(base64.b64encode(zlib.compress(b"0" * (65 << 20))).decode()), "67108864"),
        (livecodebench(HIDDEN, kind="functional"), "kinds"),
    ],
)
def test_rows_that_cannot_be_expressed(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    """They are refused with the reason; nothing in them is run."""
    with pytest.raises(InputError, match=told):
        loaded(tmp_path, row)
