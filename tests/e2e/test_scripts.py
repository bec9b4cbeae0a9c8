"""The ten script tasks of the examples, and wrong programs for them, through the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import commands

from evalplus_lite.tasks import load_dataset

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
TASKS, WRONG = EXAMPLES / "scripts.toml", EXAMPLES / "scripts-wrong.jsonl"


def rows(path: Path) -> list[dict[str, str]]:
    return [row for line in path.read_text().splitlines() if "plus" in (row := json.loads(line))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the inputs of some tasks were augmented and reduced."""
    folder = tmp_path_factory.mktemp("scripts")
    some = ("--tasks", "stdin/stack,stdin/split")
    lines = WRONG.read_text().splitlines(keepends=True)
    wrong = [line for line in lines if '"stdin/stack"' in line or '"stdin/split"' in line]
    (folder / "wrong.jsonl").write_text("".join(wrong))
    for command in (
        ("augment", "-d", str(TASKS), *some, "--inputs", "200", "-o", "large"),
        ("reduce", "-d", "large/suite.jsonl.gz", "-s", "wrong.jsonl", "-o", "small"),
        ("evaluate", "-d", "small/suite.jsonl.gz", "-s", "wrong.jsonl", "-o", "judged"),
        ("evaluate", "-d", str(TASKS), "-s", str(WRONG), "-o", "base"),
    ):
        done = commands.run(*command, folder=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_wrong_programs_pass_the_examples_of_a_statement(folder: Path) -> None:
    """That is what new inputs are for."""
    found = rows(folder / "base" / "results.jsonl")
    assert len(found) == 21
    assert {row["base"] for row in found} == {"pass"}


def test_a_small_suite_rejects_them(folder: Path) -> None:
    """A maximum that stays, zero for nothing, a pair that is right only sometimes."""
    found = rows(folder / "judged" / "results.jsonl")
    assert len(found) == 3
    assert [row["model"] for row in found if row["plus"] == "pass"] == []


def test_references_are_right_by_every_rule(folder: Path) -> None:
    """They pass the small suite; so does another right pair, by the task's check."""
    tasks = load_dataset(TASKS, strict=True).only(["stdin/stack", "stdin/split"])
    samples = [{"task_id": task.id, "solution": task.reference} for task in tasks.tasks]
    even = "n = int(input())\nprint(n - 1, 1)\n"
    samples.append({"task_id": "stdin/split", "solution": even})
    path = folder / "right.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in samples))
    done = commands.run(
        "evaluate", "-d", "small/suite.jsonl.gz", "-s", "right.jsonl", "-o", "right", folder=folder
    )
    assert done.returncode == 0, done.stderr
    assert {row["plus"] for row in rows(folder / "right" / "results.jsonl")} == {"pass"}
