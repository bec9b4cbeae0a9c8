"""Tasks that are no plain calls: exported where they can be run rightly, else named."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured, run, write_rows

from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.reports.exporters.suites import (
    ExportedTask,
    file_name,
    write_pytest,
)
from evalplus_lite.reports.exporting import EXPORTERS, export, unexpressed
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import CALL, Harness, Rule, Task

KINDS = tomllib.loads((Path(__file__).parents[1] / "tasks" / "kinds.toml").read_text())["kind"]
SHOWN = (
    "in place, and a value",
    "expected exceptions",
    "generators",
    "functions returned",
    "objects made of objects",
    "functions as arguments",
    "keyword-only arguments",
    "methods that return their object",
    "classes driven by calls",
    "sorted by a key, ties in any order",
    "a tolerance for a field",
    "many answers, told by a check",
    "Decimals, told by a check",
    "programs that read and print",
)
PARTS = ("reference", "harness", "rule", "contract")


def own_tasks(path: Path, kinds: list[dict[str, Any]]) -> Path:
    rows = [
        {"id": kind["name"], "prompt": "", "entry_point": kind.get("entry_point", "f")}
        | {part: kind[part] for part in PARTS if part in kind}
        | {"inputs": json.loads(kind["inputs"])}
        for kind in kinds
    ]
    write_rows(path, rows)
    return path


def test_pytest_files_judge_as_the_verifier_does(sandbox: Sandbox, tmp_path: Path) -> None:
    """References and other right programs pass, every wrong program fails a case."""
    kinds = [kind for kind in KINDS if kind["name"] in SHOWN]
    assert len(kinds) == len(SHOWN)
    tasks = load_dataset(own_tasks(tmp_path / "own.jsonl", kinds)).tasks
    source = SuiteSource(cache=None, limits=Limits(cpu=2.0))
    entries = [ExportedTask(task, source.usable(sandbox, task).suite) for task in tasks]
    write_pytest(tmp_path / "suite", entries)

    def failed(programs: list[str]) -> set[str]:
        """Return the files that have a failure where each kind has a program."""
        for task, program in zip(tasks, programs, strict=True):
            name = file_name(task.id).removeprefix("test_")
            (tmp_path / "mine").mkdir(exist_ok=True)
            (tmp_path / "mine" / name).write_text(program)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf"]
        done = captured([*command, "suite", "--solution", "mine"], cwd=tmp_path)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        return {line.split("::")[0].split("/")[-1] for line in lines}

    assert failed([kind.get("right", [kind["reference"]])[-1] for kind in kinds]) == set()
    assert failed([kind["wrong"][0] for kind in kinds]) == {file_name(task.id) for task in tasks}


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_a_format_cannot_hold(name: str) -> None:
    """Plain calls are held by all, printed text by none, rules and checks not by evalplus."""

    def of(
        harness: Harness = CALL,
        rule: Rule = Rule(),  # noqa: B008 - frozen
        contract: str | None = None,
    ) -> bool:
        task = Task("t", "", "f", "", harness=harness, rule=rule, contract=contract)
        return not unexpressed(name, task)

    assert of()
    assert of(Harness("script")) == (name == "pytest")
    assert not of(Harness("script", observe=("value", "exception")))
    assert not of(Harness(observe=("printed",)))
    assert of(Harness("method")) == (name == "pytest")
    assert of(rule=Rule("multiset")) == (name != "evalplus")
    assert of(contract="def precondition(n): pass\n")
    assert of(contract="def check(inputs, output, expected): return True\n") == (name != "evalplus")


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    """It stops no other task; a folder's README names it, and figures leave it out."""
    kinds = [kind for kind in KINDS if kind["name"] in ("integers", "in place")]
    found = export(own_tasks(tmp_path / "own.jsonl", kinds), tmp_path / "out", format="humaneval")
    assert found.summary["tasks"] == 1
    (bad,) = found.summary["unusable"]
    assert (bad["task_id"], bad["cause"]) == ("in place", "format")
    kinds = [
        kind for kind in KINDS if kind["name"] in ("integers", "many answers, told by a check")
    ]
    tasks = own_tasks(tmp_path / "own.jsonl", kinds)
    command = ("export", "-d", str(tasks), "--to", "evalplus", "-o", "e.jsonl")
    done = run(*command, folder=tmp_path)
    assert done.returncode == 1
    assert "1 tasks, 3 inputs" in done.stdout
    assert "2 inputs left out" in done.stdout
    assert "many answers, told by a check: evalplus: " in done.stdout + done.stderr
    rows = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert [row["task_id"] for row in rows] == ["integers"]
    kinds = [kind for kind in KINDS if kind["name"] == "integers"]
    kinds += [{"name": "prints", "reference": "def f(n): print(n)", "inputs": "[[1]]",
               "harness": {"observe": ["printed"]}}]  # fmt: skip
    export(own_tasks(tmp_path / "own.jsonl", kinds), tmp_path / "suite", format="pytest")
    readme = (tmp_path / "suite" / "README.md").read_text()
    assert f"`Own/task-3` is tested by `{file_name('Own/task-3')}`" in readme
    assert "--solution" in readme
    assert "\n    prints: pytest: " in readme
    assert "integers:" not in readme


def test_a_file_of_functions_is_no_script(tmp_path: Path) -> None:
    """A file is tested as a script only if it defines no function that is tested there."""
    kinds: list[dict[str, Any]] = [
        {"name": "double", "reference": "def f(n): return n + n", "inputs": "[[1], [2]]"},
        {"name": "echo", "reference": "print(input())", "harness": {"kind": "script"},
         "entry_point": "", "inputs": '["a\\n"]'},
    ]  # fmt: skip
    export(own_tasks(tmp_path / "own.jsonl", kinds), tmp_path / "suite", format="pytest")
    for kind, passed in zip(kinds, (2, 1), strict=True):
        (tmp_path / "mine.py").write_text(kind["reference"])
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "suite"]
        done = captured([*command, "--solution", "mine.py"], cwd=tmp_path)
        assert (done.returncode, f"{passed} passed" in done.stdout) == (0, True), done.stdout
