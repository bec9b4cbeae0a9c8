"""A user's first file, without a contract: fair to right programs, and sharp on wrong ones."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from evalplus_lite import Session, augment, evaluate

TASKS = tomllib.loads(Path(__file__).with_name("textbook.toml").read_text())["task"]
CAUGHT = 66
"""Of 69 wrong programs. One groups words by the sum of their letters."""


@pytest.mark.parametrize("seed", [0, 1])
def test_right_programs_pass_and_wrong_ones_fail(tmp_path: Path, seed: int) -> None:
    """No right program is rejected for what the text rules out, and nearly all wrong ones are."""
    path = tmp_path / "tasks.jsonl"
    rows = [{key: task[key] for key in task if key not in ("right", "wrong")} for task in TASKS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    failed = {}
    with Session() as session:
        suite = augment(path, inputs=200, seed=seed, session=session).dataset
        for kind in ("right", "wrong"):
            programs = [
                {"task_id": task["id"], "solution": source}
                for task in TASKS
                for source in task[kind]
            ]
            judged = evaluate(suite, programs, session=session).to_rows()
            failed[kind] = [row for row in judged if row["base"] != "pass" or row["plus"] != "pass"]
    assert failed["right"] == []
    assert len(failed["wrong"]) >= CAUGHT
