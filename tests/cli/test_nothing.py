"""Commands with nothing to work on say so in a line, and do not look like a success."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run, write_rows, write_tasks


@pytest.mark.parametrize("count", [1, 3])
def test_lint_says_how_many_tasks_had_programs_to_compare(tmp_path: Path, count: int) -> None:
    """One program a task is compared with nothing: no finding, and exit code 1."""
    write_tasks(tmp_path)
    bodies = ("x * 2", "x + x", "2 * x")[:count]
    rows = [{"task_id": "Own/0", "solution": f"def f(x):\n    return {body}\n"} for body in bodies]
    write_rows(tmp_path / "samples.jsonl", rows)
    command = ["lint", "tasks.jsonl", "-s", "samples.jsonl", "-n", "20", "--fail-on", "error"]
    done = run(*command, "--json", folder=tmp_path)
    assert done.returncode == (1 if count == 1 else 0), done.stderr
    summary = json.loads(done.stdout)
    assert summary["polled"] == (0 if count == 1 else 1)
    assert "T203" not in summary["codes"]


def test_a_contract_that_does_not_load_is_told_in_plain_words(tmp_path: Path) -> None:
    """What happened is said as Python says it, without the names of our own types."""
    broken = "import nothing_of_this_name\n\ndef precondition(x):\n    assert x\n"
    row = {"id": "Own/0", "entry_point": "f", "reference": "def f(x):\n    return x\n"}
    rows = [{**row, "prompt": "P", "inputs": [[1]], "contract": broken}]
    write_rows(tmp_path / "tasks.jsonl", rows)
    done = run("augment", "-d", "tasks.jsonl", "-n", "5", "-o", "out", folder=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2), said
    assert "ModuleNotFoundError: No module named 'nothing_of_this_name'" in said
    assert "Raised(" not in said
    assert "cpu" not in said
