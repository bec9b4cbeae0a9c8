"""What commands print with --json, and the files they write, are as docs/schemas says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.commands import run, sample_rows, write_rows, write_tasks
from support.schemas import SCHEMA, hold

DATA = ("-d", "tasks.jsonl")
BOTH = (*DATA, "-s", "samples.jsonl")
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", *BOTH, "--details", "--minimize", "-o", "e"),
    "augment": ("augment", *DATA, "-n", "10", "-o", "a"),
    "reduce": ("reduce", *BOTH, "-o", "r"),
    "crossval": ("reduce", "--cross-validate", *BOTH, "-s", "more.jsonl", "--curve", "", "-o", "c"),
    "mutants": ("quality", "--survivors", *DATA, "-o", "m"),
    "quality": ("quality", *BOTH, "--truth", "tasks.jsonl", "--pool", "20", "-o", "q"),
    "figures": ("figures", *DATA, "-o", "f"),
    "export": ("export", *DATA, "--to", "pytest", "-o", "p"),
    "export_results": ("export", "e", "-o", "results.csv"),
    "lint": ("lint", "tasks.jsonl", "-s", "samples.jsonl", "-n", "5", "-o", "l"),
    "drafts": ("init", "--from-pytest", "test_f.py"),
    "init": ("init", "examples"),
    "doctor": ("doctor",),
    "constraints": ("lint", "--constraints", "tasks.jsonl"),
    "audit_verifier": ("audit-verifier", "false", "--only", "cheat: files", "--no-load"),
    "cache": ("cache",),
    "cache_clear": ("cache", "clear", "--kind", "hypothesis"),
}
WRITTEN = {
    "evaluate": "e/summary.json",
    "augment": "a/summary.json",
    "reduce": "r/reduction.json",
    "crossval": "c/crossval.json",
    "mutants": "m/mutants.json",
    "quality": "q/quality.json",
    "lint": "l/lint.json",
}
MODEL = {"generate", "predict", "score", "mine", "demo", "exe_report"}
MODEL |= {"compare", "leaderboard", "report", "why", "result", "cost"}
"""Need a model's server, minutes or others' results; their own tests hold them to the schema."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, of which one cannot be used, and samples of two models."""
    found = tmp_path_factory.mktemp("schemas")
    write_tasks(found)
    rows = [{**row, "model": "ab"[n % 2]} for n, row in enumerate(sample_rows(12))]
    write_rows(found / "samples.jsonl", [*rows, {"task_id": "Own/0"}])
    write_rows(found / "more.jsonl", sample_rows(6))
    (found / "test_f.py").write_text("def f(x): return x\ndef test_f():\n    assert f(1) == 1\n")
    random = "import random\ndef f(x):\n    return random.random()\n"
    task = {"id": "Own/9", "prompt": "", "entry_point": "f", "reference": random, "inputs": [[1]]}
    with (found / "tasks.jsonl").open("a") as file:
        file.write(json.dumps(task) + "\n")
    return found


def test_the_schema_is_one(folder: Path) -> None:
    """Each definition is used by another or known here; every line of results.jsonl is a result."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    parts = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA)))
    assert set(SCHEMA["$defs"]) == set(COMMANDS) | MODEL | parts
    shutil.rmtree(folder / "e", ignore_errors=True)
    assert run(*COMMANDS["evaluate"], folder=folder).returncode == 1
    text = (folder / "e" / "results.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 12
    for row in rows:
        hold(row, "result")
    assert {key for row in rows for key in row} >= {"failure", "smallest", "details", "model"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command(folder: Path, name: str) -> None:
    """What a command prints with --json, and what it writes, has the keys and types told."""
    if name == "export_results" and not (folder / "e").exists():
        assert run(*COMMANDS["evaluate"], folder=folder).returncode == 1
    done = run(*COMMANDS[name], "--json", folder=folder)
    assert done.returncode in (0, 1), done.stderr
    value = json.loads(done.stdout)
    hold(value, name)
    if name in WRITTEN:
        assert json.loads((folder / WRITTEN[name]).read_text()) == value


@pytest.mark.parametrize(
    ("name", "change"),
    [("evaluate", {"samples": -1}), ("evaluate", {"extra": 1}), ("reduce", {"gap": "0"})],
)
def test_the_schema_refuses(folder: Path, name: str, change: dict[str, Any]) -> None:
    """A wrong type, a negative count and an unknown key are noticed."""
    done = run(*COMMANDS[name], "--json", folder=folder)
    with pytest.raises(jsonschema.ValidationError):
        hold({**json.loads(done.stdout), **change}, name)
