"""Tasks without a reference, and outputs given with a task: used where they can be, named else."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows

from evalplus_lite import Sample, Session, augment, evaluate, load_dataset
from evalplus_lite.errors import InputError

SUM = "def add(a, b):\n    return a + b\n"
ROW: dict[str, Any] = {"prompt": "Add.", "entry_point": "add", "inputs": [[1, 2], [3, 4]]}
ROWS = [
    {**ROW, "id": "given", "outputs": [3, 7]},
    {**ROW, "id": "other", "reference": SUM, "outputs": [3, 8.0]},
    {**ROW, "id": "same", "reference": SUM, "outputs": [3.0000000001, 7], "rule": {"atol": 0.1}},
    {**ROW, "id": "none"},
]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "tasks.jsonl", ROWS)


def causes(unusable: list[dict[str, str]]) -> dict[str, str]:
    return {row["task_id"]: row["cause"] for row in unusable}


def test_outputs_judge_without_a_reference(tasks: Path, session: Session) -> None:
    """Tasks with neither are named, as are outputs that a reference contradicts."""
    ids = ("given", "other", "same", "none")
    samples = [Sample(id, SUM.replace("+", op), index=n) for id in ids for n, op in enumerate("+-")]
    result = evaluate(tasks, samples, extract=False, minimize=True, session=session)
    found = {(row["task_id"], row["index"]): row["base"] for row in result.to_rows()}
    assert found == {
        (id, n): verdict for id in ids[:3] for n, verdict in enumerate(("pass", "fail"))
    }
    assert causes(result.unusable) == {"none": "no reference"}
    result = evaluate(tasks, [Sample("other", SUM)], extract=False, session=session)
    (note,) = [row for row in result.summary["notes"] if row["kind"] == "dropped"]
    assert (note["task_id"], note["cause"], note["count"]) == ("other", "expected", 1)
    assert "8.0" in note["detail"]
    result = augment(tasks, inputs=2, session=session)
    assert causes(result.unusable) == {"given": "no reference", "none": "no reference"}
    assert set(result.dataset.ids) == {"other", "same"}
    assert result.dataset.suites["other"].base_count == 1


@pytest.mark.parametrize(
    ("outputs", "problem"),
    [([3], "2 inputs, but 1 outputs"), ([3, {"$what": 1}], r"outputs, number 2"), (3, "a list")],
)
def test_outputs_that_do_not_fit_are_named(tmp_path: Path, outputs: Any, problem: str) -> None:
    """There is one output for each input, and each is a value."""
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({**ROW, "id": "a", "outputs": outputs}))
    with pytest.raises(InputError, match=rf"tasks\.jsonl:1: .*{problem}"):
        load_dataset(path)


# A user's first file, without a contract: fair to right programs, and sharp on wrong ones.


TASKS = tomllib.loads(Path(__file__).with_name("textbook.toml").read_text())["task"]
CAUGHT = 66
"""Of 69 wrong programs. One groups words by the sum of their letters."""


def test_right_programs_pass_and_wrong_ones_fail(tmp_path: Path, session: Session) -> None:
    """No right program is rejected for what the text rules out, and nearly all wrong ones are."""
    path = tmp_path / "tasks.jsonl"
    rows = [{key: task[key] for key in task if key not in ("right", "wrong")} for task in TASKS]
    write_rows(path, rows)
    failed = {}
    suite = augment(path, inputs=200, session=session).dataset
    for kind in ("right", "wrong"):
        programs = [
            {"task_id": task["id"], "solution": source} for task in TASKS for source in task[kind]
        ]
        judged = evaluate(suite, programs, session=session).to_rows()
        failed[kind] = [row for row in judged if row["base"] != "pass" or row["plus"] != "pass"]
    assert failed["right"] == []
    assert len(failed["wrong"]) >= CAUGHT


def test_no_right_program_is_rejected_for_what_was_learned(
    tmp_path: Path, session: Session
) -> None:
    """On tasks that were read when rules were made: ``scripts/benchmarks/own_tasks.py``."""
    with gzip.open(Path(__file__).with_name("own_tasks.jsonl.gz"), "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row.pop("set") in "ab"]
    programs = [{"task_id": row["id"], "solution": text} for row in rows for text in row["right"]]
    path = tmp_path / "tasks.jsonl"
    tasks = [{key: row[key] for key in row if key not in ("right", "wrong")} for row in rows]
    write_rows(path, tasks)
    made = augment(path, inputs=100, session=session)
    judged = evaluate(made.dataset, programs, session=session).to_rows()
    assert [row for row in judged if row["plus"] != "pass"] == []
    assert len(made.summary["without_new"]) <= 6
