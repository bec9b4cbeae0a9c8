"""Programs judged as the tool that an export is for would judge them, beside our own verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.jobs.datasets import load_dataset
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.session import Session
from evalplus_lite.reports.exporters.suites import ExportedTask, check_text, unheld
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Case, Harness, Rule, Sample, Task

REFERENCE = "(reference)"
"""What stands for a model's name, and is no file's."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many programs both judged, and a row for each on which they disagree.

    ``rows`` have ``task_id``, ``model``, ``index``, and what each said: ``ours`` and ``theirs``.
    The reference is a program too, of the model ``REFERENCE``.
    """

    programs: int
    rows: tuple[dict[str, Any], ...]


def compared(
    path: Path,
    form: str,
    entries: Iterable[ExportedTask],
    samples: Iterable[Sample],
    session: Session,
) -> Comparison:
    """Judge samples and references by the suites and by what was written from them.

    An evalplus file is read as evalplus reads it. The other formats hold a ``check`` for functions:
    it runs in the sandbox, in the program's process with the expected outputs, as it does there;
    no score of ours comes of it. Tasks of other kinds are not compared. Raises InfrastructureError
    if the machine failed on a program: that is no verdict.
    """
    held = {entry.task.id: entry for entry in entries if not unheld(entry.task)}
    if not held:
        return Comparison(0, ())
    tasks = [entry.task for entry in held.values()]
    programs = [
        *(Sample(task.id, task.reference, REFERENCE) for task in tasks),
        *(sample for sample in samples if sample.task_id in held),
    ]
    own = Dataset("own", tuple(tasks), {name: entry.suite for name, entry in held.items()})
    theirs = (
        load_dataset(path, session=session)
        if form == "evalplus"
        else Dataset(form, tuple(map(_checked, held.values())))
    )
    ours = _verdicts(own, programs, session)
    found = _verdicts(theirs, programs, session)
    rows = [
        {"task_id": task_id, "model": model, "index": index, "ours": said, "theirs": other}
        for (task_id, model, index), said in ours.items()
        if (other := found.get((task_id, model, index), "unusable"))
        and (said == "pass") != (other == "pass")
    ]
    return Comparison(len(programs), tuple(rows))


def _checked(entry: ExportedTask) -> Task:
    """Return a task whose one case is whether the exported ``check`` lets a program pass."""
    task = entry.task
    expression = f"[exec({check_text(entry)!r}), check({task.entry_point})] == [None, None]"
    return replace(
        task,
        base=(Case((expression,)),),
        plus=(),
        harness=Harness("assertions"),
        contract=None,
        rule=Rule(),
    )


def _verdicts(
    data: Dataset, programs: Sequence[Sample], session: Session
) -> dict[tuple[str, str, int], str]:
    known = set(data.ids)
    some = [each for each in programs if each.task_id in known]
    result = evaluate(data, some, extract=False, session=session)
    if failed := result.summary["infra"]:
        raise InfrastructureError(f"{len(failed)} programs could not be judged: {failed[0]}")
    return {
        (row["task_id"], row.get("model", ""), row["index"]): next(
            (row[kind] for kind in ("base", "plus") if row.get(kind) not in (None, "pass")), "pass"
        )
        for row in result.to_rows()
    }
