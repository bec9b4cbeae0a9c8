"""Tasks and samples to cover matrices and small suites; cross-validation measures as well."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Mapper
from evalplus_lite.pipelines.context import Session, made_folder, within
from evalplus_lite.pipelines.datasets import listed, prepared, require_any, with_suites
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.samples import Samples, SampleStream
from evalplus_lite.programs import program_key
from evalplus_lite.reduction.policy import Choice, Policy, Size, bounded, choose
from evalplus_lite.requirements.branches import PACKAGES
from evalplus_lite.requirements.matrix import KINDS, MODES, Matrix, Work, build
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import Dataset, write_suites
from evalplus_lite.types import Case, Sample, Suite, Task

SANDBOX_PACKAGES = PACKAGES
"""What the pool's sandboxes must hold, besides what programs import."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A task's suite with its cover matrix."""

    task: Task
    suite: Suite
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Measurement:
    """A dataset's measured suites, the samples behind them, and what a summary says of both."""

    data: Dataset
    suites: tuple[Measured, ...]
    samples: tuple[Sample, ...]
    report: dict[str, Any]

    @property
    def matrices(self) -> list[Matrix]:
        """The cover matrices, in the tasks' order."""
        return [each.matrix for each in self.suites]


@dataclass(frozen=True, slots=True)
class ReductionResult(Result):
    """A small suite that keeps a large one's strength, and how small any such suite could be.

    ``dataset`` holds the small suites; ``size`` the numbers of cases, with ``size.bound``, a proved
    lower bound, and ``size.gap``, by which share of it the suites are larger. ``measured`` are the
    large suites with what each case satisfies.
    """

    dataset: Dataset
    size: Size
    measured: tuple[Measured, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task: ``cases``, ``base``, ``chosen`` (positions), ``bound``."""
        return [{"task_id": id, **row} for id, row in self.summary["by_task"].items()]


def reduce(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples = (),
    *,
    policy: Policy = Policy(),  # noqa: B008 - frozen
    exact: bool = False,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> ReductionResult:
    """Choose few inputs that keep branches, decisions, input classes, mutant and sample kills.

        small = reduce("out/mine/suite.jsonl.gz", ["model_a.jsonl", "model_b.jsonl"])
        evaluate(small.dataset, "model_c.jsonl")

    ``samples`` are programs, wrong ones among them, that the small suite must still reject; base
    inputs are always kept and credited. ``policy`` says what is kept, ``exact`` has the smallest
    suites found by integer programming (extra: exact). With ``out``, a folder, ``suite.jsonl.gz``
    and ``reduction.json`` are written there. What is measured is kept in the session's cache, so
    a run that was killed goes on.

    Raises InputError if nothing can be used, or with ``strict`` if a task or row cannot.
    """
    with within(session, packages=SANDBOX_PACKAGES) as opened:
        found = measurement(dataset, samples, opened, kinds=MODES[policy.mode], strict=strict)
        opened.stage("reduce", None)
        choices = bounded(found.matrices, policy, choose(found.matrices, policy), exact=exact)
    suites = [reduced(one, choice) for one, choice in zip(found.suites, choices, strict=True)]
    size = Size.of(found.matrices, choices)
    summary = {**_summary(found, choices, policy, size), **found.report}
    result = ReductionResult(summary, with_suites(found.data, suites), size, found.suites)
    if out is not None:
        folder = made_folder(out)
        write_suites(folder / "suite.jsonl.gz", found.data.tasks, suites)
        result.write_summary(folder / "reduction.json")
    return result


def measurement(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    session: Session,
    *,
    kinds: Sequence[str] = KINDS,
    packages: Sequence[str] = SANDBOX_PACKAGES,
    stage: str = "requirements",
    strict: bool = False,
) -> Measurement:
    """Return what ``measure`` finds of a dataset; raises InputError if no task can be used."""
    pool = session.pool(packages)
    data = prepared(dataset, session, strict=strict)
    stream = SampleStream(samples, data, strict=strict, is_named=True)
    programs = tuple(stream)
    stream.tell(session)
    session.stage(stage, len(data.tasks))
    source = SuiteSource(given=data.suites, cache=session.cache)
    suites = measure(
        data, programs, pool, source, cache=session.cache, kinds=kinds, progress=session
    )
    run = run_facts(data, pool=pool, samples=stream.files)
    require_any(len(suites), data, source)
    return Measurement(data, tuple(suites), programs, {"run": run, **listed(data, source)})


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


def _summary(
    found: Measurement, choices: Sequence[Choice], policy: Policy, size: Size
) -> dict[str, Any]:
    """Return sizes, bound and gap over all tasks, requirements by kind, and each task's sizes."""
    kinds = Counter(
        each.kind
        for matrix in found.matrices
        for each in matrix.rows
        if each.kind in MODES[policy.mode]
    )
    return {
        "dataset": found.data.name,
        "mode": policy.mode,
        "wants": policy.wants,
        "budget": policy.budget,
        "tasks": size.tasks,
        "base": size.base,
        "cases": sum(matrix.count for matrix in found.matrices),
        "chosen": size.chosen,
        "bound": size.bound,
        "gap": size.gap,
        "requirements": dict(sorted(kinds.items())),
        "by_task": {
            one.task.id: {
                "cases": len(one.suite.cases),
                "base": one.suite.base_count,
                "chosen": list(choice.cases),
                "bound": choice.bound,
            }
            for one, choice in zip(found.suites, choices, strict=True)
        },
    }
