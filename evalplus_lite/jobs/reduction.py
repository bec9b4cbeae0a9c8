"""The reduction job: cover matrices, small suites, and their cross-validation."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, UnusableTask
from evalplus_lite.execution.base import Row, WorkerContext
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.grading.subsets import relinked, subset
from evalplus_lite.jobs.datasets import (
    SUITE,
    keep_dataset,
    listed,
    prepared,
    require_any,
    run_facts,
    with_suites,
)
from evalplus_lite.jobs.expected import SharedData, SuiteSource, found_evidence, on_suites, staged
from evalplus_lite.jobs.samples import Samples, SampleStream
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.programs import program_key
from evalplus_lite.reduction.cross_validation import GradedSamples, PolicyRow, crossval, pooled
from evalplus_lite.reduction.policy import Choice, Policy, choose
from evalplus_lite.reduction.requirements import MODES, CoverSubject, Matrix, build, packages
from evalplus_lite.reduction.set_cover import bitset
from evalplus_lite.tasks import Dataset, load_dataset, write_suites
from evalplus_lite.tasks.loading import known_contracts
from evalplus_lite.types import Case, Sample, Suite, Task
from evalplus_lite.values import wire

# Work on one task: measure its cover matrix, and cut out the chosen cases.


@on_suites
def measuring(
    context: WorkerContext, source: SuiteSource, item: Row, kinds: tuple[str, ...]
) -> Row:
    """Measure the requirements of these kinds for (staged task, programs, contract).

    Returns the suite's evidence, and (positions of the suite's cases among the task's, matrix).
    """
    ref, programs, contract = item
    task, given = staged(context, ref)
    try:
        answers = source.usable(context.sandbox, task, given, needs_reference=True)
    except UnusableTask:
        return found_evidence(source, task.id), None
    # The parent knows a given suite, so only the positions of computed cases are returned.
    suite, kept = answers.suite, None if given else answers.kept
    by_key = {program_key(program): program for program in programs}
    subject = CoverSubject(task, suite, by_key, contract)
    matrix = build(context.sandbox, subject, cache=source.cache, kinds=kinds)
    return found_evidence(source, task.id), (kept, to_row(matrix))


@on_suites
def reducing(context: WorkerContext, source: SuiteSource, item: Row) -> Row:
    """Return the suite of base and chosen cases for (staged task, chosen cases)."""
    ref, cases = item
    suite = source.usable(context.sandbox, *staged(context, ref)).suite
    return to_row(reduced(suite, cases))


def reduced(suite: Suite, cases: Sequence[int]) -> Suite:
    """Return the suite of base and chosen cases, in the suite's order.

    A case whose parent was not chosen loses its parent. The few stress cases are always kept.
    """
    # The suite's order runs cheap cases first.
    places = [*range(suite.base_count), *sorted(cases)]
    small = subset(suite, places)
    provenance = {**suite.provenance, "reduced_from": len(suite.cases)}
    linked = relinked(small.cases, places)
    return replace(small, cases=linked, provenance=provenance, stress=suite.stress)


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """A task with the cases of its suite and their cover matrix."""

    task: Task
    cases: tuple[Case, ...]
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Measurement:
    """A dataset's measured suites, the samples behind them, and facts for a summary.

    ``held_out`` were measured like samples, but do not influence the choice.
    """

    data: Dataset
    suites: tuple[MeasuredTask, ...]
    samples: tuple[Sample, ...]
    report: dict[str, Any]
    held_out: tuple[Sample, ...] = ()

    @property
    def matrices(self) -> list[Matrix]:
        """The cover matrices, in the tasks' order."""
        return [each.matrix for each in self.suites]


@dataclass(frozen=True, slots=True)
class ReductionResult(Result):
    """A small suite that is nearly as strong as a large one.

    ``dataset`` holds the small suites, ``measured`` the large ones with their cover matrices.
    """

    kind: ClassVar[str] = "reduction"

    dataset: Dataset
    measured: tuple[MeasuredTask, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task: ``cases``, ``base``, ``chosen`` (positions)."""
        return [{"task_id": id, **row} for id, row in self.summary["by_task"].items()]


def reduce(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples = (),
    *,
    policy: Policy = Policy(),  # noqa: B008 - frozen
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> ReductionResult:
    """Choose a few inputs that still reject wrong programs, both known and unknown.

        suite = augment("tasks.jsonl", inputs=20)
        small = reduce(suite.dataset, "samples.jsonl")
        evaluate(small.dataset, "more.jsonl")

    The requirements are decisions of the reference, and kills of its mutants, its variants and the
    wrong programs in ``samples``, weighed by ``policy``. Base inputs are always kept, but what
    they satisfy still counts, except in a set cover (``Policy.multiplicity``).

    With ``out``, a folder, ``suite.jsonl.gz`` and ``reduction.json`` are written there.
    Measurements are kept in the session's cache, so a killed run resumes.

    Raises InputError if no task is usable, or with ``strict`` if any task or row is unusable.
    """
    keep_dataset(out, dataset)
    with within(session) as opened:
        measured = measurement(dataset, samples, opened, kinds=MODES[policy.mode], strict=strict)
        opened.stage("reduce", None)
        # The tasks share a budget, so the choice is made here. Then workers, which have the
        # expected outputs, cut out the suites.
        choices = choose(measured.matrices, policy)
        staging = SharedData(opened.pool(), measured.data.suites)
        pairs = zip(measured.suites, choices, strict=True)
        items = [(staging.ref(one.task), choice.cases) for one, choice in pairs]
        # Computed suites are read from the cache, or computed again without a cache.
        call = SuiteSource(cache=opened.cache).call(reducing)
        suites = [from_row(Suite, row) for row in opened.pool().map(call, items)]
    summary = {**_summary(measured, choices, policy), **measured.report}
    result = ReductionResult(summary, with_suites(measured.data, suites), measured.suites)
    if out is not None:
        folder = made_folder(out)
        write_suites(folder / SUITE, measured.data.tasks, suites)
        result.write_summary(folder / "reduction.json")
    return result


def measurement(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    session: Session,
    *,
    kinds: Sequence[str] = MODES["full"],
    held_out: Samples = (),
    stage: str = "requirements",
    strict: bool = False,
    across_models: bool = False,
) -> Measurement:
    """Return cases and matrix of every usable task; raise InputError if there are none.

    Rows are computed once and kept in the session's cache; equal programs are run once. Without
    ``held_out``, measuring ``across_models`` needs samples of several.
    """
    # 1. The data and the programs. All input is read and checked before anything is measured.
    pool = session.pool()
    data = prepared(dataset, session, strict=strict)
    streams = [
        SampleStream(each, data, strict=strict, is_named=True, backend=pool)
        for each in (samples, held_out)
    ]
    programs, others = map(tuple, streams)
    for stream in streams:
        stream.tell(session)
    if across_models and not others:  # with held-out samples, all samples may be from one model
        _require_models({sample.model for sample in programs})
    # 2. The matrices, in parallel by task, from the cache if the content is known.
    session.stage(stage, len(data.tasks))
    source = SuiteSource(given=data.suites, cache=session.cache)
    # Programs are sent with their task: a worker runs all of a task's programs on its suite.
    sources: dict[str, list[str]] = {task.id: [] for task in data.tasks}
    for sample in programs + others:
        sources[sample.task_id].append(sample.source)
    call = source.call(measuring, tuple(kinds), packages=packages(kinds))
    staging, contracts = SharedData(pool, data.suites), known_contracts()
    items = (
        (staging.ref(task), sources[task.id], task.contract or contracts.get(task.id))
        for task in data.tasks
    )
    rows = pool.map(call, items, done=lambda row: session.advance())
    suites = []
    for task, (evidence, row) in zip(data.tasks, rows, strict=True):
        source.take(task.id, evidence)
        if row is not None:
            kept, matrix = row
            suite = data.suites.get(task.id)
            cases = suite.cases if suite else tuple(task.cases[n] for n in kept)
            suites.append(MeasuredTask(task, cases, from_row(Matrix, matrix)))
    # 3. The facts for a summary, or an error if no task is usable.
    files = [file for stream in streams for file in stream.files]
    run = run_facts(data, pool=pool, samples=files)
    require_any(len(suites), data, source)
    return Measurement(data, tuple(suites), programs, {"run": run, **listed(data, source)}, others)


def _summary(measured: Measurement, choices: Sequence[Choice], policy: Policy) -> dict[str, Any]:
    """Return total sizes, requirements by kind, and each task's sizes."""
    kinds = Counter(
        each.kind
        for matrix in measured.matrices
        for each in matrix.rows
        if each.kind in MODES[policy.mode]
    )
    return {
        "dataset": measured.data.name,
        "mode": policy.mode,
        "wants": policy.wants,
        "budget": None if policy.multiplicity else policy.size,
        "tasks": len(measured.suites),
        "base": sum(matrix.base_count for matrix in measured.matrices),
        "cases": sum(matrix.count for matrix in measured.matrices),
        "chosen": sum(len(choice.cases) for choice in choices),
        "requirements": dict(sorted(kinds.items())),
        "by_task": {
            one.task.id: {
                "cases": len(one.cases),
                "base": one.matrix.base_count,
                "chosen": list(choice.cases),
            }
            for one, choice in zip(measured.suites, choices, strict=True)
        },
    }


# Cross-validation: reduction policies on models that they did not see.

SIZES = (2.0, 4.0, 6.0, 8.0, 10.0, 16.0)
"""Default sizes to try in every mode: plus cases per task."""


@dataclass(frozen=True, slots=True)
class CrossValidationResult(Result):
    """The performance, on each model, of suites chosen by other models' samples."""

    kind: ClassVar[str] = "crossval"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each policy and model: size, pass@1, failures still detected."""
        return list(self.summary["models"])


def cross_validate(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    held_out: Samples = (),
    policies: Mapping[str, Policy] | None = None,
    compare: Sequence[str | os.PathLike[str]] = (),
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> CrossValidationResult:
    """Leave out each model in turn: choose suites by the others' samples, test them on its own.

        result = cross_validate("tasks.jsonl", ["samples.jsonl", "more.jsonl"])
        result.to_rows()[0]["pass@1"]

    A file is a model unless its rows name one. With ``held_out``, suites are chosen once, by all
    ``samples``, and tested on these programs instead. ``policies`` are the policies to try, by name
    (default: each mode with each requirement kept once, and with the ``SIZES``); ``compare`` are
    names or paths of existing smaller suites to compare with. Each suite is also compared with
    random ones of the same size. With ``out``, a folder, ``crossval.json`` is written there.

    Raises InputError if no model is left to test on, and as ``reduce`` does.
    """
    policies = policies_to_try() if policies is None else policies
    with within(session) as opened:
        measured = measurement(
            dataset, samples, opened, held_out=held_out, strict=strict, across_models=True
        )
        # All policies and left-out models share one measurement; only the choice is repeated.
        field = GradedSamples(measured.matrices, measured.samples, measured.held_out)
        if not field.has_held_out:
            _require_models(field.models)
        opened.stage("leave one out", len(policies))
        lines: list[PolicyRow] = []
        for name, policy in policies.items():
            lines += crossval(field, name, policy)
            opened.advance()
        for path in compare:
            suites = _ready_made(path, measured.suites)
            lines += [field.line(model, Path(path).name, suites) for model in field.models]
    tasks = max(1, len(measured.suites))
    summary = {
        "dataset": measured.data.name,
        "cases_a_task": {
            "all": sum(len(one.cases) for one in measured.suites) / tasks,
            "base": sum(one.matrix.base_count for one in measured.suites) / tasks,
        },
        "models": list(map(_row, lines)),
        "pooled": list(map(_row, pooled(lines).values())),
        **measured.report,
    }
    result = CrossValidationResult(summary)
    if out is not None:
        result.write_summary(made_folder(out) / "crossval.json")
    return result


def _require_models(models: Collection[str]) -> None:
    if len(models) < 2:
        names = f": {', '.join(models)}" if models else ""
        raise InputError(
            f"cross-validation needs two models or more, got {len(models)}{names}",
            remedy="give a file of samples for each model, or held-out ones",
        )


def policies_to_try(
    multiplicities: Collection[int] = (1,), sizes: Collection[float] = SIZES
) -> dict[str, Policy]:
    """Return the default policy, and each mode with each multiplicity and size, by name."""
    tried = {"default": Policy()}
    for mode in MODES:
        tried |= {f"{mode}, {count}-fold": Policy(mode, count) for count in multiplicities}
        tried |= {f"{mode}, size {size:g}": Policy(mode, budget=size) for size in sizes}
    return tried


def _ready_made(path: str | os.PathLike[str], measured: Sequence[MeasuredTask]) -> dict[str, int]:
    """Return a smaller dataset's plus cases as bitsets over the larger one's cases."""
    other = {task.id: task for task in load_dataset(path)}
    suites = {}
    for one in measured:
        # Cases are equal if their arguments are, in wire form: types and signs of zero count.
        place = {wire.encode(case.arguments): n for n, case in enumerate(one.cases)}
        cases = other[one.task.id].cases if one.task.id in other else ()
        # A case that the larger suite lacks gets -1, which the next line drops.
        numbers = [place.get(wire.encode(case.arguments), -1) for case in cases]
        suites[one.task.id] = bitset(n for n in numbers if n >= one.matrix.base_count)
    return suites


def _row(line: PolicyRow) -> dict[str, Any]:
    intervals = {key: list(ends) for key, ends in line.intervals.items()}
    return {
        "model": line.model,
        "policy": line.policy,
        "size": line.size,
        "pass@1": dict(line.passed),
        **({"intervals": intervals} if intervals else {}),
        "failures": line.kept.total,
        "kept": line.kept.hits,
        "share": line.kept.value,
        "interval": list(line.kept.interval),
        "share_random": line.kept_random.value,
        "failures_accepted": line.kept_accepted.total,
        "kept_accepted": line.kept_accepted.hits,
    }
