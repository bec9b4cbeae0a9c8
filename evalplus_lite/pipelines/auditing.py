"""Tasks and samples to findings: where programs contradict a reference, or it fails by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.consensus.disputes import Dispute, Finding, unanswered
from evalplus_lite.consensus.panel import UNANSWERED, Jury
from evalplus_lite.errors import InputError, UnusableTask
from evalplus_lite.execution.base import Mapper
from evalplus_lite.grading.evidence import blamed, recorded, weighed
from evalplus_lite.grading.oracle import Dropped, answer
from evalplus_lite.pipelines.augmentation import BASE_LIMITS, Budget, augment_task
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import parse, violations
from evalplus_lite.types import Sample, Task, Unusable

LIMITS = Limits(cpu=2.0, load=10.0)
"""What a reference may take on an input before it is doubtful for that."""
MOST_SLOW = 8
MOST_FAILURES = 40
"""Inputs without an answer that are looked at, a task."""


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
    pool: Mapper,
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

    def run(sandbox: Sandbox, task: Task) -> Hearing:
        try:
            with blamed(task):
                if data.suites.get(task.id) is not None or task.plus:
                    return _given(sandbox, data, task, sources[task.id])
                return _fresh(sandbox, task, sources[task.id], seed=seed, budget=budget)
        except UnusableTask as error:
            return Hearing(Finding(task.id, 0, ()), 0, recorded(error))

    found = []
    for hearing in pool.imap(run, data.tasks):
        progress.advance()
        found.append(hearing)
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


def _given(sandbox: Sandbox, data: Dataset, task: Task, sources: Sequence[str]) -> Hearing:
    cases = data.suites[task.id].cases if task.id in data.suites else task.cases
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    weighed(task, base)
    jury = Jury.summon(sandbox, task, base.suite, sources)
    answers = answer(
        sandbox,
        task,
        cases[len(task.base) :],
        base_count=0,
        limits=LIMITS,
        contract=False,  # inputs that stand in a suite are what is audited
        max_failures=MOST_SLOW,
    )
    disputes = jury.hear(sandbox, answers.suite, answers.dropped)
    of_dropped = disputes[len(answers.suite.cases) :]
    open_ = [drop for drop, found in zip(answers.dropped, of_dropped, strict=True) if not found]
    failures = _failures(sandbox, task, open_)
    found = tuple(_vouched(sandbox, task, [*disputes, *failures]))
    return Hearing(Finding(task.id, len(disputes), found), len(jury.programs))


def _fresh(
    sandbox: Sandbox, task: Task, sources: Sequence[str], *, seed: int, budget: Budget
) -> Hearing:
    result = augment_task(sandbox, task, seed=seed, budget=budget, samples=sources)
    disputed = [each.case.arguments for each in result.review]
    again = answer(
        sandbox,
        task,
        [case for case in result.unanswered if case.arguments not in disputed],
        base_count=0,
        limits=LIMITS,
        max_failures=MOST_SLOW,
    )
    failures = _failures(sandbox, task, again.dropped)
    new = len(result.suite.cases) - result.suite.base_count
    found = tuple(_vouched(sandbox, task, [*result.review, *failures]))
    return Hearing(Finding(task.id, new + len(found), found), result.jurors)


def _failures(sandbox: Sandbox, task: Task, dropped: Sequence[Dropped]) -> list[Dispute]:
    """Return disputes over those inputs that the contract allows and the reference fails on."""
    failed = [drop for drop in dropped if drop.cause in UNANSWERED][:MOST_FAILURES]
    if task.contract is None or not parse(task.contract).has_precondition or not failed:
        return []
    reasons = violations(sandbox, task.contract, [drop.case for drop in failed])
    return [unanswered(drop) for drop, why in zip(failed, reasons, strict=True) if why is None]


def _vouched(sandbox: Sandbox, task: Task, disputes: Iterable[Dispute | None]) -> list[Dispute]:
    """Return the disputes that there are, each with what the contract says of its input."""
    found = [dispute for dispute in disputes if dispute is not None]
    if task.contract is None or not parse(task.contract).has_precondition or not found:
        return found
    reasons = violations(sandbox, task.contract, [each.case for each in found])
    return [
        replace(each, allowed=reason is None) for each, reason in zip(found, reasons, strict=True)
    ]


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
