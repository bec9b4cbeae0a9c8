"""Tasks and samples to findings: where programs contradict a reference, or it fails by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.consensus.disputes import Finding
from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.work.auditing import dispute_of, hearing
from evalplus_lite.pipelines.work.augmentation import Budget
from evalplus_lite.pipelines.work.staging import Staging
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample, Unusable


@dataclass(frozen=True, slots=True)
class Hearing:
    """What an audit did for a task: the finding, and how many programs were on the jury.

    ``problem`` is why a task could not be audited at all.
    """

    finding: Finding
    jurors: int
    problem: Unusable | None = None


def audit(
    data: Dataset,
    samples: Iterable[Sample],
    backend: Backend,
    *,
    seed: int,
    budget: Budget,
    progress: Progress | None = None,
) -> list[Hearing]:
    """Return a hearing of every task, in order.

    The inputs are the task's own where it comes with more than base cases, else new ones made
    within ``budget``.
    """
    progress = progress or Silent()
    sources = by_task(data, samples)

    call = Call(f"{hearing.__module__}:{hearing.__name__}", (seed, budget.to_row()))
    staging = Staging(backend, data.suites)
    items = ((staging.ref(task), sources[task.id]) for task in data.tasks)
    found = []
    for row in backend.map(call, items):
        progress.advance()
        found.append(_hearing_of(row))
    return found


def by_task(data: Dataset, samples: Iterable[Sample]) -> dict[str, list[str]]:
    """Return the programs of every task, in the samples' order."""
    found: dict[str, list[str]] = {task.id: [] for task in data.tasks}
    for sample in samples:
        if sample.task_id in found:
            found[sample.task_id].append(sample.source)
    return found


def with_references(data: Dataset, published: Dataset) -> Dataset:
    """Return the dataset with the references that ``published`` tasks came with, none repaired.

    A task without a contract has that of the published one.
    Both must have the same tasks, else InputError.
    """
    texts = {
        task.id: task.prompt + str(task.extra["canonical_solution"])
        for task in published.tasks
        if "canonical_solution" in task.extra
    }
    contracts = {task.id: task.contract for task in published.tasks}
    unknown = [task.id for task in data.tasks if task.id not in texts]
    if unknown:
        raise InputError(f"{published.name} holds no reference as published for {unknown[0]}")
    tasks = (
        replace(task, reference=texts[task.id], contract=task.contract or contracts[task.id])
        for task in data.tasks
    )
    return replace(data, tasks=tuple(tasks), suites={})


def _hearing_of(row: Row) -> Hearing:
    task_id, heard, disputes, jurors, problem = row
    found = Finding(task_id, heard, tuple(dispute_of(each) for each in disputes))
    return Hearing(found, jurors, None if problem is None else Unusable(*problem))


def counts(hearings: Sequence[Hearing]) -> Mapping[str, int]:
    """Return how many tasks were heard, had no jury, or failed, and how many of each kind."""
    findings = [hearing.finding for hearing in hearings if hearing.finding.disputes]
    return {
        "tasks": len(hearings),
        "heard": sum(hearing.jurors >= 2 for hearing in hearings),
        "reference": sum(finding.kind == "reference" for finding in findings),
        "input": sum(finding.kind == "input" for finding in findings),
        "disputes": sum(len(finding.disputes) for finding in findings),
    }
