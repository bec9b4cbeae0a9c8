"""Auditing one task: where programs contradict its reference, or that fails by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, replace

from evalplus_lite.consensus.disputes import Dispute, unanswered
from evalplus_lite.consensus.oddities import oddities
from evalplus_lite.consensus.panel import UNANSWERED, Panel
from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.grading.evidence import blamed, recorded, weighed
from evalplus_lite.grading.oracle import Dropped, answer
from evalplus_lite.pipelines.work.augmentation import augment_task
from evalplus_lite.pipelines.work.beginning import BASE_LIMITS
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.pipelines.work.staging import case_rows, staged
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import parse, violations
from evalplus_lite.types import Suite, Task

LIMITS = Limits(cpu=2.0, load=10.0)
"""What a reference may take on an input before it is doubtful for that."""
MOST_SLOW = 8
MOST_FAILURES = 40
"""Inputs without an answer that are looked at, a task."""


def audit(place: Place, settings: Row) -> Work:
    """Of (staged task, programs), (id, inputs polled, disputes, voters, why there was no poll).

    The inputs are the task's own where it comes with more than base cases, else new ones made by
    (seed, budget).
    """
    seed, budget = settings[0], Budget(*settings[1])

    def hear(item: Row) -> Row:
        ref, sources = item
        task, suite = staged(place, ref)
        try:
            with blamed(task):
                if suite is not None or task.plus:
                    return _given(place.sandbox, task, suite, sources)
                return _fresh(place.sandbox, task, sources, seed=seed, budget=budget)
        except UnusableTask as error:
            return task.id, 0, [], 0, astuple(recorded(error))

    return hear


def _row(task: Task, polled: int, disputes: Iterable[Dispute], voters: int) -> Row:
    rows = [
        (
            case_rows([each.case]),
            each.cause,
            *((said.word, said.data, said.detail) for said in (each.reference, each.majority)),
            each.votes,
            each.voters,
            each.allowed,
            [(astuple(camp.vote), camp.programs, camp.has_reference) for camp in each.camps],
        )
        for each in disputes
    ]
    return task.id, polled, rows, voters, None


def _given(sandbox: Sandbox, task: Task, suite: Suite | None, sources: Sequence[str]) -> Row:
    cases = task.cases if suite is None else suite.cases
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    weighed(task, base)
    panel = Panel.select(sandbox, task, base.suite, sources)
    answers = answer(
        sandbox,
        task,
        cases[len(task.base) :],
        base_count=0,
        limits=LIMITS,
        contract=False,  # inputs that stand in a suite are what is audited
        max_failures=MOST_SLOW,
    )
    poll = panel.poll(sandbox, answers.suite, answers.dropped, oddities(answers.suite))
    disputes = poll.disputes
    of_dropped = disputes[len(answers.suite.cases) :]
    open_ = [drop for drop, found in zip(answers.dropped, of_dropped, strict=True) if not found]
    failures = _failures(sandbox, task, open_)
    found = _vouched(sandbox, task, [*disputes, *failures])
    return _row(task, len(disputes), found, len(panel.programs))


def _fresh(
    sandbox: Sandbox, task: Task, sources: Sequence[str], *, seed: int, budget: Budget
) -> Row:
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
    found = _vouched(sandbox, task, [*result.review, *failures])
    return _row(task, new + len(found), found, result.voters)


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
