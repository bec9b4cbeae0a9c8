"""A journal with a row that its job did not write is named with its line; nothing else happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows

TASK = {"id": "A/0", "prompt": "", "entry_point": "f", "reference": "def f(x): return x"}
SAMPLE = {"task_id": "A/0", "solution": "def f(x): return x"}
COMMANDS = {
    "results.jsonl": ["evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"],
    "augment.journal.jsonl": ["augment", "-d", "tasks.jsonl", "-n", "5", "-o", "out"],
}
FOREIGN: list[dict[str, Any]] = [
    {"a": 1},
    {"task_id": [], "index": {}, "program": 1, "base": [], "plus": None, "cases": 3},
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("row", FOREIGN)
def test_a_row_of_something_else(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    """It is an error that names file and line, and the file stays as it is."""
    write_rows(tmp_path / "tasks.jsonl", [{**TASK, "inputs": [[1]]}])
    write_rows(tmp_path / "samples.jsonl", [SAMPLE])
    assert run(*COMMANDS[name], "-w", "1", folder=tmp_path).returncode in (0, 1)
    journal = tmp_path / "out" / name
    count = len(journal.read_text().splitlines())
    with journal.open("a") as file:
        file.write(json.dumps(row) + "\n")
    before = journal.read_bytes()
    done = run(*COMMANDS[name], "-w", "1", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert f"{name}:{count + 1}: " in done.stderr
    assert journal.read_bytes() == before
