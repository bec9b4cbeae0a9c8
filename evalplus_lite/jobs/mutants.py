"""Mutants of references that pass every case of a suite."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.jobs.expected import SharedData, SuiteSource, source_of, staged
from evalplus_lite.jobs.reduction import measurement
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.reduction.requirements import Matrix
from evalplus_lite.reduction.survivors import survivors
from evalplus_lite.statistics.means import clustered_interval
from evalplus_lite.tasks import Dataset


def surviving(place: WorkerContext, settings: Row) -> Work:
    """Return the ``survivors`` of (staged task, keys of its mutants that some case kills)."""
    source = source_of(settings)

    def survive(item: Row) -> Row:
        ref, killed = item
        task, given = staged(place, ref)
        suite = source.usable(place.sandbox, task, given).suite
        return survivors(place.sandbox, task, suite, killed)

    return survive


@dataclass(frozen=True, slots=True)
class MutantsResult(Result):
    """Planted faults that no input detects."""

    kind: ClassVar[str] = "mutants"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a survivor: operator, line, how many inputs reach it, diff."""
        return [
            {"task_id": id, **survivor}
            for id, row in self.summary["by_task"].items()
            for survivor in row["survivors"]
        ]


def find_survivors(
    dataset: Dataset | str | os.PathLike[str],
    *,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> MutantsResult:
    """Plant small faults in the references and report those that no input detects.

    A survivor is either a missing test or an equivalent mutant: those whose changed line many
    inputs run are suspected to be equivalent. With ``out``, a folder, ``mutants.json`` is written
    there. Raises InputError as ``reduce``.
    """
    with within(session) as opened:
        measured = measurement(
            dataset, (), opened, kinds=("mutant",), stage="mutants", strict=strict
        )
        # First pass: which cases kill which mutants. Second: which cases run a survivor's line.
        opened.stage("survivors", len(measured.suites))
        staging = SharedData(opened.pool(), measured.data.suites)
        killed = [_killed(one.matrix) for one in measured.suites]
        items = (
            (staging.ref(one.task), list(some))
            for one, some in zip(measured.suites, killed, strict=True)
        )
        settings = SuiteSource(cache=opened.cache).settings
        call = Call(f"{surviving.__module__}:{surviving.__name__}", settings)
        alive = list(opened.pool().map(call, items, done=lambda row: opened.advance()))
    by_task = {
        one.task.id: {
            "mutants": len(some) + len(rows),
            "killed": len(some),
            "killed_by_base": sum(
                bool(row & ((1 << one.matrix.base_count) - 1)) for row in some.values()
            ),
            "cases": len(one.cases),
            "base": one.matrix.base_count,
            "survivors": rows,
        }
        for one, some, rows in zip(measured.suites, killed, alive, strict=True)
    }
    result = MutantsResult({**_summary(measured.data.name, by_task), **measured.report})
    if out is not None:
        result.write_summary(made_folder(out) / "mutants.json")
    return result


def _killed(matrix: Matrix) -> dict[str, int]:
    """Return by key the mutants that some case kills, with these cases."""
    return {each.key: row for each, row in matrix.rows.items() if each.kind == "mutant"}


def _summary(name: str, by_task: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the counts over all tasks, and each task's survivors."""
    # With and without suspected equivalents, which no input could detect.
    total = sum(row["mutants"] for row in by_task.values())
    killed = sum(row["killed"] for row in by_task.values())
    suspects = sum(
        each["suspected_equivalent"] for row in by_task.values() for each in row["survivors"]
    )
    shares = [(row["killed"], row["mutants"]) for row in by_task.values()]
    return {
        "dataset": name,
        "tasks": len(by_task),
        "mutants": total,
        "killed": killed,
        "killed_by_base": sum(row["killed_by_base"] for row in by_task.values()),
        "score": killed / total if total else None,
        "interval": list(clustered_interval(shares)) if total else None,
        "suspected_equivalents": suspects,
        "adjusted_score": killed / (total - suspects) if total > suspects else None,
        "by_task": by_task,
    }
