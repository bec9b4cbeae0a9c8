"""Tasks and samples to cover matrices and small suites; cross-validation measures as well."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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

# The parts of a small suite by task: its cover matrix, and a choice.


@on_suites
def measuring(
    context: WorkerContext, source: SuiteSource, item: Row, kinds: tuple[str, ...]
) -> Row:
    """Measure (staged task, programs, contract) by requirements of these kinds.

    Returns the suite's evidence, and (the positions of the suite's cases among the task's, the
    matrix).
    """
    ref, programs, contract = item
    task, given = staged(context, ref)
    try:
        answers = source.usable(context.sandbox, task, given, needs_reference=True)
    except UnusableTask:
        return found_evidence(source, task.id), None
    # A given suite is known to the parent: only the positions of computed cases go back.
    suite, kept = answers.suite, None if given else answers.kept
    by_key = {program_key(program): program for program in programs}
    folder = None if source.cache is None else source.cache / "requirements"
    subject = CoverSubject(task, suite, by_key, contract)
    matrix = build(context.sandbox, subject, cache=folder, kinds=kinds)
    return found_evidence(source, task.id), (kept, to_row(matrix))


@on_suites
def reducing(context: WorkerContext, source: SuiteSource, item: Row) -> Row:
    """Return the suite of the base cases and the chosen ones of (staged task, chosen cases)."""
    ref, cases = item
    suite = source.usable(context.sandbox, *staged(context, ref)).suite
    return to_row(reduced(suite, cases))


def reduced(suite: Suite, cases: Sequence[int]) -> Suite:
    """Return the suite of the base cases and the chosen ones, in the suite's order.

    A case whose parent was not chosen has none. The few stress cases do not take part in the choice
    and are preserved.
    """
    # In the suite's order, which runs cheap cases first.
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

    ``judges`` were measured like samples, but have no part in choosing.
    """

    data: Dataset
    suites: tuple[MeasuredTask, ...]
    samples: tuple[Sample, ...]
    report: dict[str, Any]
    judges: tuple[Sample, ...] = ()

    @property
    def matrices(self) -> list[Matrix]:
        """The cover matrices, in the tasks' order."""
        return [each.matrix for each in self.suites]


@dataclass(frozen=True, slots=True)
class ReductionResult(Result):
    """A small suite that keeps a large one's strength.

    ``dataset`` holds the small suites, ``measured`` the large ones with their cover matrices.
    """

    kind: ClassVar[str] = "reduction"

    dataset: Dataset
    measured: tuple[MeasuredTask, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task: ``cases``, ``base``, ``chosen`` (positions)."""
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
    """Choose few inputs that still find wrong programs, seen and unseen.

        suite = augment("tasks.jsonl", inputs=20)
        small = reduce(suite.dataset, "samples.jsonl")
        evaluate(small.dataset, "more.jsonl")

    The choice uses decisions of the reference, and the kills of its mutants, of its variants and
    of ``samples``: programs, wrong ones among them. Base inputs are always kept and credited.
    ``policy`` weighs these requirements.

    With ``out``, a folder, ``suite.jsonl.gz`` and ``reduction.json`` are written there.
    Measurements are kept in the session's cache, so a killed run resumes.

    Raises InputError if nothing can be used, or with ``strict`` if a task or row cannot.
    """
    keep_dataset(out, dataset)
    with within(session) as opened:
        measured = measurement(dataset, samples, opened, kinds=MODES[policy.mode], strict=strict)
        opened.stage("reduce", None)
        # The choice concerns all tasks together, as they share a budget: it is made here. The
        # suites are then cut out where their expected outputs already are.
        choices = choose(measured.matrices, policy)
        staging = SharedData(opened.pool(), measured.data.suites)
        items = [
            (staging.ref(one.task), choice.cases)
            for one, choice in zip(measured.suites, choices, strict=True)
        ]
        # Computed suites are read from the cache; a session without one computes them again.
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
    judges: Samples = (),
    stage: str = "requirements",
    strict: bool = False,
    check: Callable[[Sequence[Sample], Sequence[Sample]], None] = lambda samples, judges: None,
) -> Measurement:
    """Return cases and matrix of every task that can be used; InputError if none can be.

    Rows are computed once and kept in the session's cache; equal programs are run once. ``check``
    may refuse the samples and judges before anything is computed.
    """
    # 1. The data and the programs. Nothing is measured before all input has been read and checked.
    pool = session.pool()
    data = prepared(dataset, session, strict=strict)
    streams = [
        SampleStream(each, data, strict=strict, is_named=True, backend=pool)
        for each in (samples, judges)
    ]
    programs, others = map(tuple, streams)
    for stream in streams:
        stream.tell(session)
    check(programs, others)
    # 2. The matrices: in parallel, a task each, from the cache where its content was seen before.
    session.stage(stage, len(data.tasks))
    source = SuiteSource(given=data.suites, cache=session.cache)
    # Programs travel with their task: each worker runs those of one task against one suite.
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
            given = data.suites.get(task.id)
            cases = given.cases if given else tuple(task.cases[n] for n in kept)
            suites.append(MeasuredTask(task, cases, from_row(Matrix, matrix)))
    # 3. The facts for a summary; without a usable task there is an error instead.
    files = [file for stream in streams for file in stream.files]
    run = run_facts(data, pool=pool, samples=files)
    require_any(len(suites), data, source)
    return Measurement(data, tuple(suites), programs, {"run": run, **listed(data, source)}, others)


def _summary(found: Measurement, choices: Sequence[Choice], policy: Policy) -> dict[str, Any]:
    """Return sizes over all tasks, requirements by kind, and each task's sizes."""
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
        "budget": None if policy.multiplicity else policy.size,
        "tasks": len(found.suites),
        "base": sum(matrix.base_count for matrix in found.matrices),
        "cases": sum(matrix.count for matrix in found.matrices),
        "chosen": sum(len(choice.cases) for choice in choices),
        "requirements": dict(sorted(kinds.items())),
        "by_task": {
            one.task.id: {
                "cases": len(one.cases),
                "base": one.matrix.base_count,
                "chosen": list(choice.cases),
            }
            for one, choice in zip(found.suites, choices, strict=True)
        },
    }


# Policies of reduction on models that they did not see.


SIZES = (2.0, 4.0, 6.0, 8.0, 10.0, 16.0)
"""Plus cases a task that are tried in every mode unless others are asked for."""


@dataclass(frozen=True, slots=True)
class CrossValidationResult(Result):
    """The performance of suites on each model, chosen by other models' samples."""

    kind: ClassVar[str] = "crossval"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each policy and model: size, pass@1, failures that are kept."""
        return list(self.summary["models"])


def cross_validate(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    judges: Samples = (),
    policies: Mapping[str, Policy] | None = None,
    compare: Sequence[str | os.PathLike[str]] = (),
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> CrossValidationResult:
    """Leave one model out: choose suites by the others' samples, and judge them by its own.

        result = cross_validate("tasks.jsonl", ["samples.jsonl", "more.jsonl"])
        result.to_rows()[0]["pass@1"]

    A file is a model unless its rows name one. With ``judges``, programs that have no part in
    choosing, suites are chosen once, by all ``samples``, and judged by these. ``policies`` are
    tried by name (default: each mode with each requirement kept once, and with the ``SIZES``);
    ``compare`` are names or paths of ready-made smaller suites to compare with. Each is also
    compared with random suites of the same size. With ``out``, a folder, ``crossval.json`` is
    written there.

    Raises InputError if no model is left to judge, and as ``reduce``.
    """
    policies = policies_to_try() if policies is None else policies
    with within(session) as opened:
        measured = measurement(
            dataset,
            samples,
            opened,
            judges=judges,
            strict=strict,
            check=_require_judges,
        )
        # One measurement serves all policies and left-out models: only the choice is repeated.
        field = GradedSamples(measured.matrices, measured.samples, measured.judges)
        if not field.has_judges:
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


def _require_judges(samples: Iterable[Sample], judges: Sequence[Sample]) -> None:
    # With programs that only judge, the samples may all be of one model.
    if not judges:
        _require_models({sample.model for sample in samples})


def _require_models(models: Collection[str]) -> None:
    if len(models) < 2:
        names = f": {', '.join(models)}" if models else ""
        raise InputError(
            f"cross-validation needs two models or more, got {len(models)}{names}",
            remedy="give a file of samples for each model, or others to judge",
        )


def policies_to_try(
    multiplicities: Iterable[int] = (1,), sizes: Iterable[float] = SIZES
) -> dict[str, Policy]:
    """Return by name the default policy, and each mode with each multiplicity and each size."""
    multiplicities, sizes = tuple(multiplicities), tuple(sizes)
    tried = {"default": Policy()}
    for mode in MODES:
        tried |= {f"{mode}, {count}-fold": Policy(mode, count) for count in multiplicities}
        tried |= {f"{mode}, size {size:g}": Policy(mode, budget=size) for size in sizes}
    return tried


def _ready_made(path: str | os.PathLike[str], measured: Sequence[MeasuredTask]) -> dict[str, int]:
    """Return a smaller dataset's plus cases as bitsets of the larger one's."""
    other = {task.id: task for task in load_dataset(path)}
    suites = {}
    for one in measured:
        # Cases are the same if their arguments are, in wire form: types and signs of zero count.
        place = {wire.encode(case.arguments): n for n, case in enumerate(one.cases)}
        cases = other[one.task.id].cases if one.task.id in other else ()
        # A case that the larger suite lacks gets -1, which the next line leaves out.
        numbers = [place.get(wire.encode(case.arguments), -1) for case in cases]
        suites[one.task.id] = bitset(n for n in numbers if n >= one.matrix.base_count)
    return suites


def _row(line: PolicyRow) -> dict[str, Any]:
    return {
        "model": line.model,
        "policy": line.policy,
        "size": line.size,
        "pass@1": dict(line.passed),
        **(
            {"intervals": {k: list(v) for k, v in line.intervals.items()}} if line.intervals else {}
        ),
        "failures": line.kept.total,
        "kept": line.kept.hits,
        "share": line.kept.value,
        "interval": list(line.kept.interval),
        "share_random": line.kept_random.value,
        "failures_accepted": line.kept_accepted.total,
        "kept_accepted": line.kept_accepted.hits,
    }
