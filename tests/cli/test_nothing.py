"""Commands with nothing to work on say so in a line, and do not look like a success."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import run, sample_rows, write_rows, write_tasks


def test_audit_without_two_programs_to_compare_says_so(tmp_path: Path) -> None:
    """One program a task is compared with nothing: no table, and exit code 1."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(1))
    command = ["audit", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-n", "5", "-o", "audit"]
    done = run(*command, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "0 of 3 tasks had two programs" in done.stdout
    assert "nothing was audited" in done.stdout
    assert "most votes" not in done.stdout
    assert json.loads(run(*command, "--json", folder=tmp_path).stdout)["heard"] == 0


def test_audit_that_finds_nothing_says_so(tmp_path: Path) -> None:
    """Programs that agree with the reference: a line instead of an empty table, and exit code 0."""
    write_tasks(tmp_path)
    bodies = ("x * 2", "x + x", "2 * x")
    rows = [{"task_id": "Own/0", "solution": f"def f(x):\n    return {body}\n"} for body in bodies]
    write_rows(tmp_path / "samples.jsonl", rows)
    command = ["audit", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-n", "20", "-o", "audit"]
    done = run(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 of 3 tasks had two programs to compare" in done.stdout
    assert "on no input" in done.stdout
    assert "most votes" not in done.stdout


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
