"""Files of execution tasks, mined or another set's, and predictions about what is in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.exe.asking.predict import Prediction
from evalplus_lite.exe.asking.prompt import Asked
from evalplus_lite.exe.asking.score import read_predictions
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.exe.tasks.mined import read_tasks as read_mined
from evalplus_lite.exe.tasks.published import PublishedFile, SkippedRow, form_of
from evalplus_lite.exe.tasks.publishing import written
from evalplus_lite.jobs.datasets import file_facts, run_facts
from evalplus_lite.jobs.session import keep_inputs
from evalplus_lite.reports.exporting import ExportResult
from evalplus_lite.store import read_jsonl, write_jsonl


def read_tasks(
    path: str | os.PathLike[str], *, left_out: list[SkippedRow] | None = None
) -> Iterator[MinedTask]:
    """Yield the tasks of a mined file, or of rows of CRUXEval, LiveCodeBench or CodeI/O.

    ``left_out`` takes the rows that cannot be asked about. InputError names two rows of one id.
    """
    path = Path(path)
    first = next(iter(read_jsonl(path)), None)
    if first is not None and form_of(first.data) is not None:
        return PublishedFile(path, [] if left_out is None else left_out).tasks()
    return read_mined(path)


@dataclass(slots=True)
class KnownTasks:
    """Tasks by id, and what predictions may be about besides."""

    tasks: Mapping[str, MinedTask]
    left_out: list[SkippedRow] = field(default_factory=list)
    ignored: int = 0
    """Predictions about rows that are left out: of other programs' files."""

    @classmethod
    def of(cls, tasks: str | os.PathLike[str] | Iterable[MinedTask]) -> KnownTasks:
        """Read a file, or take what is given; InputError for two tasks of one id."""
        left_out: list[SkippedRow] = []
        if isinstance(tasks, str | os.PathLike):
            tasks = read_tasks(tasks, left_out=left_out)
        found: dict[str, MinedTask] = {}
        for task in tasks:
            if found.setdefault(task.id, task) is not task:
                raise InputError(f"two tasks are named {task.id!r}")
        return cls(found, left_out)

    def predictions(self, path: Path, *, of: Asked | None = None) -> Iterator[Prediction]:
        """Yield a file's predictions, those about rows that are left out aside."""
        others = {each.id for each in self.left_out}
        for each in read_predictions(path, known=[*self.tasks, *others], of=of):
            if each.task_id in others:
                self.ignored += 1
            else:
                yield each

    def facts(self) -> dict[str, Any]:
        """Return what a summary says of it: nothing where nothing is left out."""
        rows = [each.to_json() for each in self.left_out]
        return {"left_out": rows, "ignored": self.ignored} if rows else {}


def export_mined(
    dataset: str | os.PathLike[str], path: str | os.PathLike[str], *, format: str
) -> ExportResult:
    """Write mined tasks as rows of ``cruxeval``, ``livecodebench`` (execution) or ``codeio``."""
    out = Path(path)
    keep_inputs({"output": out}, {"tasks": dataset})
    first = next(iter(read_jsonl(dataset)), None)
    if first is not None and (form := form_of(first.data)) is not None:
        raise InputError(
            f"holds rows of {form}, which are written of mined tasks alone",
            path=Path(dataset),
            remedy="give the file that mine wrote",
        )
    tasks = list(read_tasks(dataset))
    asked = [task for task in tasks if {"breakpoint", "question"} & task.facts.keys()]
    if asked:
        raise InputError(
            f"asks what happens within a call, and {format} what it gives: {asked[0].id}",
            path=Path(dataset),
            remedy="give a file of mined tasks, as mine writes without --questions",
        )
    rows, held, lost = written(tasks, format)
    if not rows:
        raise InputError(f"has no case that {format} can hold", path=Path(dataset))
    write_jsonl(out, rows)
    found = {"format": format, "tasks": len({row["task_id"] for row in rows}), "cases": held,
             "left_out": lost, "out": str(out)}  # fmt: skip
    return ExportResult(
        {"run": run_facts(tasks=file_facts([Path(dataset)])), **found, "unusable": [], "notes": []}
    )
