"""Tasks and samples to cover matrices and small suites: what reduce, crossval and mutants share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Mapper
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.programs import program_key
from evalplus_lite.reduction.policy import Choice
from evalplus_lite.requirements.branches import PACKAGES
from evalplus_lite.requirements.matrix import KINDS, Matrix, Work, build
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Case, Sample, Suite, Task

SANDBOX_PACKAGES = PACKAGES
"""What the pool's sandboxes must hold, besides what programs import."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A task's suite with its cover matrix."""

    task: Task
    suite: Suite
    matrix: Matrix


def measure(
    data: Dataset,
    samples: Iterable[Sample],
    pool: Mapper,
    source: SuiteSource,
    *,
    cache: Path | None,
    kinds: Sequence[str] = KINDS,
    progress: Progress | None = None,
) -> list[Measured]:
    """Return suite and matrix of every task, in order.

    Tasks without a usable case are left out: ``source.unusable`` has the causes.

    Rows are computed once and kept below ``cache`` (None: nowhere); equal programs are run once.
    """
    progress = progress or Silent()
    programs: dict[str, dict[str, str]] = {task.id: {} for task in data.tasks}
    for sample in samples:
        if sample.task_id in programs:
            programs[sample.task_id][program_key(sample.source)] = sample.source
    folder = None if cache is None else cache / "requirements"

    def run(sandbox: Sandbox, task: Task) -> Measured | None:
        try:
            suite = source.suite(sandbox, task)
        except UnusableTask:
            return None
        finally:
            source.forget(task.id)
        work = Work(task, suite, programs[task.id])
        return Measured(task, suite, build(sandbox, work, cache=folder, kinds=kinds))

    found = []
    for result in pool.imap(run, data.tasks):
        progress.advance()
        if result is not None:
            found.append(result)
    return found


def named(samples: Iterable[Sample], name: str) -> Iterable[Sample]:
    """Yield samples with their model's name: ``name``, their file's, where they bring none."""
    for sample in samples:
        yield sample if sample.model else replace(sample, model=name)


def reduced(measured: Measured, choice: Choice) -> Suite:
    """Return the suite of the base cases and the chosen ones, in the suite's order.

    A case whose parent was not chosen has none.
    """
    suite = measured.suite
    kept = [*range(suite.base_count), *sorted(choice.cases)]
    place = {old: new for new, old in enumerate(kept)}
    return Suite(
        suite.task_id,
        tuple(_relinked(suite.cases[number], place) for number in kept),
        suite.blobs.take(kept),
        suite.base_count,
        {**suite.provenance, "reduced_from": len(suite.cases)},
    )


def _relinked(case: Case, place: dict[int, int]) -> Case:
    return case if case.parent is None else replace(case, parent=place.get(case.parent))
