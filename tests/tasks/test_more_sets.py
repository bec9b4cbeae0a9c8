"""Other published sets: rows become tasks with the right base cases, or are refused by name."""

from __future__ import annotations

import base64
import gzip
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows
from support.tasks import own_task

from evalplus_lite import Sample, Session, evaluate, lint, load_dataset
from evalplus_lite.errors import InputError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.tasks import load_dataset as read
from evalplus_lite.types import Task
from evalplus_lite.values import wire

PROMPT = 'from typing import List\n\n\ndef twice(x: int) -> int:\n    """Return 2 x."""\n'
PACK: dict[str, Any] = {
    "task_id": "Python/900",
    "prompt": PROMPT,
    "declaration": "import math\n\ndef helper():\n    pass\n\ndef twice(x: int) -> int:\n",
    "canonical_solution": "    return 2 * x\n",
    "buggy_solution": "    return x\n",
    "test": "def check(twice):\n    assert twice(1) == 2\n    assert twice(-3) < 0\n\ncheck(twice)",
    "example_test": "",
}
EVO: dict[str, Any] = {
    "task_id": "EvoEval/0",
    "prompt": PROMPT,
    "entry_point": "twice",
    "canonical_solution": "    return 2 * x\n",
    "inputs": ["1", "-3"],
}
MBPP: dict[str, Any] = {
    "task_id": 9001,
    "text": "Write a function to double.",
    "code": "def helper(x):\r\n    return x\r\ndef twice(x):\r\n    return 2 * helper(x)",
    "test_setup_code": "",
    "test_list": ["assert twice(1) == 2", "assert twice((1,)) == (1, 1)", "assert twice(2) < 5"],
    "challenge_test_list": ["assert twice(5) == 10"],
}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(folder / "rows.jsonl", rows)


def arguments(task: Task) -> list[tuple[Any, ...]]:
    return [case.arguments for case in task.base]


def test_humaneval_x_and_its_pack(tmp_path: Path, session: Session) -> None:
    """Base cases are found by running the test; the entry point is named, or declared last."""
    named = {**PACK, "task_id": "Python/901", "entry_point": "twice"}
    other = {**PACK, "task_id": "Java/900"}
    data = load_dataset(write(tmp_path, PACK, named, other), session=session)
    assert data.ids == ("Python/900", "Python/901")
    for task in data:
        assert task.entry_point == "twice"
        assert arguments(task) == [(1,), (-3,)]
    assert [each.detail for each in data.unusable] == ["line 3: Java/900 is not a task in Python"]
    programs = [PROMPT + PACK[key] for key in ("canonical_solution", "buggy_solution")]
    samples = [Sample("Python/900", text, index=n) for n, text in enumerate(programs)]
    rows = evaluate(data, samples, extract=False, session=session).to_rows()
    assert [row["base"] for row in rows] == ["pass", "fail"]


def test_evoeval(tmp_path: Path, session: Session) -> None:
    """Inputs are the source of arguments: literals are read, others found in the sandbox."""
    made = {**EVO, "task_id": "EvoEval/1", "inputs": ["len([0] * 4)", "int('''\n7\n''')"]}
    wrong = {**EVO, "task_id": "EvoEval/2", "inputs": [1]}
    path = write(tmp_path, EVO, made, wrong)
    assert arguments(read(path)["EvoEval/0"]) == [(1,), (-3,)]
    data = load_dataset(path, session=session)
    assert [arguments(task) for task in data] == [[(1,), (-3,)], [(4,), (7,)]]
    assert [each.task_id for each in data.unusable] == ["EvoEval/2"]


def test_mbpp(tmp_path: Path, session: Session) -> None:
    """Plain assertions are cases with their outputs; others, and a row of such only, are named."""
    bare = {**MBPP, "task_id": 9002, "test_list": ["assert twice(1) > 1"]}
    path = write(tmp_path, MBPP, bare)
    data = read(path)
    task = data["Mbpp/9001"]
    assert (task.entry_point, task.style, arguments(task)) == ("twice", "solution", [(1,), ((1,),)])
    assert [wire.decode(each) for each in task.outputs] == [2, (1, 1)]
    assert [case.arguments for case in task.plus] == [(5,)]
    (bad,) = data.unusable
    assert bad.task_id == "line 2"
    assert "Mbpp/9002: no assertion can be a case: assert twice(1) > 1:" in bad.detail
    row, _ = lint(path, session=session).to_rows()
    assert ("T302", 1) in [(each["code"], each["count"]) for each in row["findings"]]


def test_cruxeval_as_tasks(tmp_path: Path) -> None:
    """A program with its call and output is a task with one case; what is no literal is named."""
    row = {"id": "sample_0", "code": "def f(a):\n    return a[0]", "input": "[(1, 2)]"}
    rows = [{**row, "output": "(1, 2)"}, {**row, "id": "s/1", "output": "1, 2)"}]
    data = read(write(tmp_path, *rows, {**row, "id": "s/2", "input": "open(3)", "output": "0"}))
    (task,) = data
    assert (task.id, arguments(task)) == ("cruxeval/sample_0", [([(1, 2)],)])
    assert wire.decode(task.outputs[0]) == (1, 2)
    assert [each.task_id for each in data.unusable] == ["s/1", "s/2"]


def test_real_rows_of_mbpp(shared: Path, tmp_path: Path) -> None:
    """Rows in the sanitized form give MBPP+'s tasks, with the inputs of their assertions."""
    with gzip.open(shared / "datasets" / "MbppPlus-OriginFmt.jsonl.gz") as stream:
        rows = [json.loads(stream.readline()) for _ in range(40)]
    form = [{key: row[key] for key in row if key != "test"} for row in rows]
    data = read(write(tmp_path, *form))
    with_tests = read(write(tmp_path, *rows))
    assert len(data) + len(data.unusable) == 40
    assert len(data) >= 39
    for task in data:
        same = with_tests[task.id]
        assert (task.entry_point, task.reference) == (same.entry_point, same.reference)
        assert len(task.outputs) == len(task.base)
        assert [case for case in arguments(same) if case not in arguments(task)] == []


def test_real_rows_of_cruxeval(shared: Path) -> None:
    """All rows but those whose arguments are no literals are tasks."""
    path = shared / "benchmarks" / "cruxeval" / "cruxeval.jsonl"
    if not path.is_file():
        pytest.skip("needs real data: the folder benchmarks/cruxeval")
    data = read(path)
    assert len(data) + len(data.unusable) == 800
    assert len(data.unusable) < 12


TEXTS = {"inputs": ["1\n", "2\n"], "outputs": ["2\n", "4\n"]}
CALLS = {"fn_name": "twice", "inputs": ["1", "2"], "outputs": ["2", "4"]}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Double."}]
FUSION = [{"input": {"stdin": "1\n"}, "output": {"stdout": "2\n"}}]
TRAINERS: dict[str, tuple[dict[str, Any], str, str, int]] = {
    # by id: the tests in the row, the harness, the entry point, and the number of cases
    "taco/7": ({"ground_truth": json.dumps(TEXTS)}, "script", "", 2),
    "lc/7": ({"ground_truth": json.dumps(CALLS)}, "call", "twice", 2),
    "code/7": ({"ground_truth": json.dumps({"functional": "assert f(1) == 2\nassert f(2) == 4"})},
               "assertions", "f", 2),
    "open-instruct/0": ({"ground_truth": ["assert f(1) == 2", "assert f(2) == 4"]},
                        "assertions", "f", 2),
    "o/1": ({"ground_truth": [json.dumps([{"input": "1\n", "output": "2\n"}])]}, "script", "", 1),
    "3": ({"test": FUSION}, "script", "", 1),
    "4": ({"test": {"code": "assert f(1) == 2"}}, "assertions", "f", 1),
}  # fmt: skip


def trainer_row(id: str, tests: dict[str, Any]) -> dict[str, Any]:
    """Return a row as verl, open-instruct or SandboxFusion has it."""
    if "test" in tests:
        return {"id": int(id), "content": "Double.", "labels": "{}", **tests}
    if id.startswith("o"):
        own = {} if id.startswith("open") else {"id": id}
        return {**own, "messages": ASKED, "dataset": "code", **tests}
    source = id.partition("/")[0]
    model = {"style": "rule", **tests}
    return {
        "data_source": source,
        "prompt": ASKED,
        "reward_model": model,
        "extra_info": {"index": 7},
    }


@pytest.mark.parametrize("id", TRAINERS)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_rows_of_trainers_are_tasks(tmp_path: Path, id: str, form: str) -> None:
    """What a trainer rewards by is what a task is judged by."""
    tests, harness, entry_point, cases = TRAINERS[id]
    path, row = tmp_path / f"rows.{form}", trainer_row(id, tests)
    if form == "jsonl":
        path.write_text(json.dumps(row) + "\n")
    else:
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist([row]), path)
    (task,) = load_dataset(path).tasks
    assert (task.id, task.prompt) == (id, "Double.")
    assert (task.harness.kind, task.entry_point) == (harness, entry_point)
    assert len(task.outputs) == len(task.cases) == cases


def test_trainer_rows_without_tests_are_listed(tmp_path: Path) -> None:
    """A row of mathematics, or with files, is no task; the others are."""
    rows = [
        trainer_row("taco/7", {"ground_truth": text})
        for text in (json.dumps(TEXTS), "42", "[", '{"pytest": "def test(): f(1)"}')
    ]
    rows.append(trainer_row("taco/8", {"ground_truth": json.dumps(TEXTS)}))
    rows[-1]["extra_info"]["prefix"] = "import math"
    path = write_rows(tmp_path / "rows.jsonl", rows)
    data = load_dataset(path)
    assert ([task.id for task in data.tasks], len(data.unusable)) == (["taco/7"], 4)
    case = {"input": {"stdin": "", "a.txt": "1"}, "output": {"stdout": ""}}
    rows = [trainer_row("3", {"test": FUSION}), trainer_row("4", {"test": [case]})]
    write_rows(path, rows)
    (bad,) = read(path).unusable
    assert "files" in bad.detail


# Sets of contest problems, in the forms in which they are published, written here by hand.

SCRIPT = "a, b = map(int, input().split())\nprint(a / b)\n"
METHOD = "class Solution:\n    def ratio(self, a, b):\n        return [a // b]\n"
FUNCTION = "def ratio(a, b):\n    return [a // b]\n"
STREAMS = {"inputs": ["1 2\n", ["6 3", ""]], "outputs": ["0.5\n", ["2.0", ""]]}
RATIOS = {"fn_name": "ratio", "inputs": [[7, 2], [4, 2]], "outputs": [[[3]], [2]]}


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
    return own_task(folder, **row)


COUNT = "def count(n):\n    return list(range(n))\n"
LISTS = {"fn_name": "count", "inputs": [[1], [2]], "outputs": [[0], [0, 1]]}

CASES: dict[str, tuple[dict[str, Any], str, str, str, int]] = {
    # row, id, a right program, a wrong one, cases
    "apps": (apps(), "APPS/7", SCRIPT, SCRIPT.replace("/ b", "// b"), 2),
    "apps, a function": (
        apps(input_output=json.dumps(RATIOS), solutions=json.dumps([FUNCTION])),
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
        apps(input_output=json.dumps(RATIOS), solutions="", starter_code=METHOD),
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
        (apps(input_output=json.dumps(RATIOS | {"fn_name": "f()"})), "fn_name"),
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
