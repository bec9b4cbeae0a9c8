"""Tasks and samples to cover matrices and small suites; cross-validation measures as well."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.pipelines.context import Session, made_folder, within
from evalplus_lite.pipelines.datasets import (
    listed,
    prepared,
    require_any,
    with_suites,
)
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.replaying import mapped, shared_tasks
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.samples import Samples, SampleStream
from evalplus_lite.pipelines.shards import Shard, Share, share_of
from evalplus_lite.pipelines.work.reduction import (
    MeasureSettings,
    choice_of,
    matrix_of,
    measuring,
    reducing,
)
from evalplus_lite.pipelines.work.staging import Staging, suite_of
from evalplus_lite.reduction.policy import Choice, Policy, Size, choose
from evalplus_lite.requirements.matrix import Matrix
from evalplus_lite.requirements.registry import KINDS, MODES, packages
from evalplus_lite.tasks import Dataset, write_suites
from evalplus_lite.tasks.loading import known_contracts
from evalplus_lite.types import Case, Sample, Suite, Task


@dataclass(frozen=True, slots=True)
class Measured:
    """A task with the cases of its suite and their cover matrix.

    ``choice`` and the ``small`` suite are there if they were asked for.
    """

    task: Task
    cases: tuple[Case, ...]
    matrix: Matrix
    choice: Choice | None = None
    small: Suite | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A dataset's measured suites, the samples behind them, and what a summary says of both.

    ``judges`` were measured like samples, and are to have no part in choosing.
    """

    data: Dataset
    suites: tuple[Measured, ...]
    samples: tuple[Sample, ...]
    report: dict[str, Any]
    judges: tuple[Sample, ...] = ()

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
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> ReductionResult:
    """Choose few inputs that still find wrong programs, seen and unseen.

        suite = augment("tasks.jsonl", inputs=20)
        small = reduce(suite.dataset, "samples.jsonl")
        evaluate(small.dataset, "more.jsonl")

    ``samples`` are programs, wrong ones among them, that the choice goes by, beside branches,
    decisions, input classes, mutants and variants; base inputs are always kept and credited, and
    inputs that a contract refuses never. ``policy`` says what counts and how much; ``exact`` has
    smaller suites that satisfy as much looked for by integer programming (extra: exact). With
    ``out``, a folder, ``suite.jsonl.gz`` and ``reduction.json`` are written there. What is
    measured is kept in the session's cache, so a run that was killed goes on. With ``shard``, such
    as ``"2/4"``, only a part of the tasks is measured, for ``merge``.

    Raises InputError if nothing can be used, or with ``strict`` if a task or row cannot.
    """
    with within(session) as opened:
        share = share_of(shard, out, kind="reduce")
        found = measurement(
            dataset, samples, opened, policy=policy, exact=exact, strict=strict, share=share
        )
        if share is not None and share.is_part:
            return ReductionResult(share.end(), found.data, Size.of((), ()), found.suites)
        opened.stage("reduce", None)
        choices, suites = chosen(found, policy, opened)
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
    kinds: Sequence[str] = tuple(KINDS),
    policy: Policy | None = None,
    exact: bool = False,
    judges: Samples = (),
    stage: str = "requirements",
    strict: bool = False,
    share: Share | None = None,
) -> Measurement:
    """Return what ``measure`` finds of a dataset; raises InputError if no task can be used.

    Of a ``share`` that is a part only its tasks are measured.
    """
    pool = session.pool()
    data = prepared(dataset, session, strict=strict)
    streams = [
        SampleStream(given, data, strict=strict, is_named=True, backend=pool)
        for given in (samples, judges)
    ]
    programs, others = map(tuple, streams)
    for stream in streams:
        stream.tell(session)
    if share is not None:
        data = shared_tasks(data, share, programs, others, (*kinds,), policy, exact=exact)
    session.stage(stage, len(data.tasks))
    source = SuiteSource(given=data.suites, cache=session.cache)
    suites = measure(
        data,
        programs + others,
        pool,
        source,
        kinds=kinds,
        policy=policy,
        exact=exact,
        progress=session,
        share=share,
    )
    files = [file for stream in streams for file in stream.files]
    run = run_facts(data, pool=pool, samples=files)
    if share is None or not share.is_part:
        require_any(len(suites), data, source)
    return Measurement(data, tuple(suites), programs, {"run": run, **listed(data, source)}, others)


def measure(
    data: Dataset,
    samples: Iterable[Sample],
    backend: Backend,
    source: SuiteSource,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    policy: Policy | None = None,
    exact: bool = False,
    progress: Progress | None = None,
    share: Share | None = None,
) -> list[Measured]:
    """Return cases and matrix of every task, in order; ``policy`` says what else to choose at once.

    Tasks without a usable case are left out: ``source.unusable`` has the causes. Rows are computed
    once and kept in the source's cache, if it has one; equal programs are run once. A policy says
    which ``kinds`` there are; one with a budget, which is for all tasks together, chooses nothing.
    """
    progress = progress or Silent()
    programs: dict[str, list[str]] = {task.id: [] for task in data.tasks}
    for sample in samples:
        if sample.task_id in programs:
            programs[sample.task_id].append(sample.source)
    wanted = MODES[policy.mode] if policy is not None else kinds
    at_once = policy if policy is not None and policy.budget is None else None
    settings = MeasureSettings(source.settings, tuple(wanted), at_once, exact)
    call = Call(f"{measuring.__module__}:{measuring.__name__}", settings.to_row(), packages(wanted))
    staging = Staging(backend, data.suites)
    contracts = known_contracts()
    tasks = {task.id: task for task in data.tasks}

    def item(id: str) -> Row:
        task = tasks[id]
        return staging.ref(task), programs[id], task.contract or contracts.get(id)

    rows = mapped(
        backend, call, [*tasks], item, share=share, stage="measure", told=progress.advance
    )
    found = []
    for task, (evidence, row) in zip(data.tasks, rows, strict=True):
        source.take(task.id, evidence)
        if row is not None:
            found.append(_measured(data, task, row))
    return found


def _measured(data: Dataset, task: Task, row: Row) -> Measured:
    kept, matrix, small = row
    cases = data.suites[task.id].cases if kept is None else tuple(task.cases[n] for n in kept)
    if small is None:
        return Measured(task, cases, matrix_of(matrix))
    return Measured(task, cases, matrix_of(matrix), choice_of(small[0]), suite_of(small[1]))


def chosen(
    found: Measurement, policy: Policy, session: Session
) -> tuple[tuple[Choice, ...], list[Suite]]:
    """Return a choice for every task and the small suites, those made at once or now."""
    made = [(one.choice, one.small) for one in found.suites if one.choice and one.small]
    if policy.budget is None:
        return tuple(choice for choice, _ in made), [suite for _, suite in made]
    choices, backend = choose(found.matrices, policy), session.pool()
    staging = Staging(backend, found.data.suites)
    items = [
        (staging.ref(one.task), choice.cases)
        for one, choice in zip(found.suites, choices, strict=True)
    ]
    source = SuiteSource(cache=session.cache)
    call = Call(f"{reducing.__module__}:{reducing.__name__}", source.settings)
    return choices, [suite_of(row) for row in backend.map(call, items)]


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
        "refused": policy.refused,
        "tasks": size.tasks,
        "base": size.base,
        "cases": sum(matrix.count for matrix in found.matrices),
        "chosen": size.chosen,
        "bound": size.bound,
        "gap": size.gap,
        "requirements": dict(sorted(kinds.items())),
        "by_task": {
            one.task.id: {
                "cases": len(one.cases),
                "base": one.matrix.base_count,
                "chosen": list(choice.cases),
                "bound": choice.bound,
            }
            for one, choice in zip(found.suites, choices, strict=True)
        },
    }
