"""Answers that cannot be used cost their own verdict or their own row, and nothing else."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any, Literal

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import MAX_ROW, MAX_SOURCE, Faults, read_samples
from evalplus_lite.types import Task

DATA = Dataset("some", (Task("set/0", "def f(x):\n", "f", "def f(x):\n    return x\n"),))
GOOD = {"task_id": "set/0", "solution": "x = 1"}
UNUSABLE: list[Any] = [
    None,
    1,
    "x\x00",
    "x" * (MAX_SOURCE + 1),
    "é" * (MAX_SOURCE // 2 + 1),
]


def rows(folder: Path, *rows: object) -> Path:
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("extraction", ["clean", "none"])
def test_an_answer_that_cannot_be_a_program_is_one_that_fails(
    tmp_path: Path, extraction: Literal["clean", "none"]
) -> None:
    """Such an answer keeps its place, task and index, raises when run, and is counted."""
    answers = [{"task_id": "set/0", "solution": value} for value in UNUSABLE]
    faults = Faults()
    path = rows(tmp_path, *answers, {"task_id": "set/0", "completion": 1.5}, GOOD)
    found = list(read_samples(path, DATA, extraction=extraction, faults=faults))
    assert [sample.index for sample in found] == list(range(len(UNUSABLE) + 2))
    for sample in found[:-1]:
        with pytest.raises(ValueError, match="the sample"):
            exec(compile(sample.source, "sample", "exec"), {})
    assert "raise" not in found[-1].source
    assert (faults.left_out, faults.unusable) == (0, len(UNUSABLE) + 1)


def test_the_other_forms_hold_unusable_answers_too(tmp_path: Path) -> None:
    """An item of a list or a file of a folder that is no text fails by itself."""
    (tmp_path / "g.json").write_text('[["x = 1", 1, "\\u0000"]]')
    found = list(read_samples(tmp_path / "g.json", DATA, extraction="none"))
    assert ["raise ValueError" in sample.source for sample in found] == [False, True, True]
    folder = tmp_path / "folder" / "set_0"
    folder.mkdir(parents=True)
    (folder / "0.py").write_bytes(b"\xff")
    (folder / "1.py").write_bytes(gzip.compress(b"x" * 9))
    os.mkfifo(folder / "2.py")
    (folder / "3.py").write_text("x = 1")
    found = list(read_samples(tmp_path / "folder", DATA, extraction="none"))
    assert ["raise ValueError" in sample.source for sample in found] == [True, True, True, False]


def test_rows_that_are_not_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    """One bad row does not end the reading of the others; its line and cause are kept."""
    path = rows(tmp_path, GOOD, {"solution": "x"}, {**GOOD, "index": -1}, [1], {**GOOD, "model": 2})
    with path.open("ab") as file:
        file.write(b'{"task_id": "set/0", "solution": "' + b"x" * MAX_ROW + b'"}\n{"a":\n')
        file.write(json.dumps(GOOD).encode() + b"\n")
    faults = Faults()
    assert [sample.index for sample in read_samples(path, DATA, faults=faults)] == [0, 1]
    assert faults.left_out == 6
    assert all(f":{line}: " in text for line, text in enumerate(faults.shown, 2))


def test_answers_to_other_tasks_are_called_that(tmp_path: Path) -> None:
    """A suite of some tasks is often judged with the samples of all."""
    path = rows(tmp_path, GOOD, {**GOOD, "task_id": "busy"}, {**GOOD, "task_id": "busy"}, {})
    faults = Faults()
    assert len(list(read_samples(path, DATA, faults=faults))) == 1
    assert (faults.left_out, faults.unknown) == (3, 2)
    first, second = faults.notes()[:2]
    assert first.startswith("2 answers are to tasks")
    assert second.startswith("1 rows")


def test_a_file_without_an_answer_is_the_wrong_file(tmp_path: Path) -> None:
    """If no row can be used, the first fault is an error, also for whoever counts faults."""
    path = rows(tmp_path, {"text": "x"}, {"text": "y"})
    with pytest.raises(InputError) as caught:
        list(read_samples(path, DATA, faults=Faults()))
    assert caught.value.line == 1
