"""``evalplus-lite cache`` shows and clears what commands left."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, run_process, sample_rows, write_rows, write_tasks


def asked(folder: Path, *arguments: str) -> Any:
    done = run("cache", *arguments, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_a_command_left(tmp_path: Path) -> None:
    """Expected outputs are counted after a run, and gone after clear; the run can be repeated."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(3))
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o")
    assert run(*arguments, "a", folder=tmp_path).returncode == 0
    (tmp_path / "cache" / "v9-Some.jsonl.gz").write_bytes(b"a data set")
    found = asked(tmp_path)
    assert found["folder"] == str(tmp_path / "cache")
    # Of each of three tasks the expected outputs, and what null programs did.
    assert found["kinds"]["expected"]["files"] == 6
    assert found["kinds"]["datasets"] == {"files": 1, "bytes": 10}
    files = [path for path in (tmp_path / "cache" / "expected").rglob("*") if path.is_file()]
    assert found["kinds"]["expected"]["bytes"] == sum(path.stat().st_size for path in files)
    assert asked(tmp_path, "clear", "--older-than", "1h")["removed"] == 0
    for path in files[1:]:
        os.utime(path, (0, 0))
    assert asked(tmp_path, "clear", "--older-than", "1h")["removed"] == 5
    assert asked(tmp_path, "clear")["removed"] >= 1
    assert asked(tmp_path)["kinds"]["expected"]["files"] == 0
    assert asked(tmp_path)["kinds"]["datasets"]["files"] == 1
    assert asked(tmp_path, "clear", "--kind", "datasets")["removed"] == 1
    assert run(*arguments, "b", folder=tmp_path).returncode == 0
    results = [(tmp_path / name / "results.jsonl").read_bytes() for name in "ab"]
    assert results[0] == results[1]


def test_a_small_bound_changes_no_result(tmp_path: Path) -> None:
    """With room for nothing commands work as ever."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(3))
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "a")
    done = run_process(*arguments, folder=tmp_path, variables={"EVALPLUS_LITE_CACHE_SIZE": "0"})
    assert done.returncode == 0, done.stderr
    assert asked(tmp_path)["kinds"]["expected"]["files"] <= 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["cache", "clear", "--kind", "expectd"], "expected"),
        (["cache", "clear", "--older-than", "soon"], "soon"),
        (["cache", "clear", "--kind", "../home"], "../home"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], named: str) -> None:
    """A kind or an age that is not one is refused in a line."""
    done = run(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert done.stderr.count("\n") == 1
