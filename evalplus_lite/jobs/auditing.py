"""Audits of references: inputs on which programs contradict one, or on which it fails."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, UnusableTask
from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.grading.evidence import blamed, recorded, unusable_row, weighed
from evalplus_lite.grading.oracle import Dropped, answer
from evalplus_lite.jobs.consensus import (
    UNANSWERED,
    VOTES,
    Dispute,
    Finding,
    Panel,
    oddities,
    review_row,
    rows,
    unanswered,
)
from evalplus_lite.jobs.datasets import content_hash, prepared, run_facts
from evalplus_lite.jobs.samples import Samples, SampleStream
from evalplus_lite.jobs.session import SILENT, Progress, Result, Session, made_folder, within
from evalplus_lite.jobs.workers.augmentation import BASE_LIMITS, augment_task
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.jobs.workers.shared_data import SharedData, staged
from evalplus_lite.programs import program_hash
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.resuming import finished, open_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import parse, violations
from evalplus_lite.types import Suite, Task, Unusable

# The audit of one task: inputs on which programs contradict its reference, or it fails.

LIMITS = Limits(cpu=2.0, load=10.0)
"""A reference's limits on an input; beyond them it is suspect."""
MOST_SLOW = 8
EXAMPLES = 3
"""Disputed inputs of a task that its finding shows; audit.jsonl has all."""
MOST_FAILURES = 40
"""Inputs without an answer that are looked at, a task."""


def audit_task(place: WorkerContext, settings: Row) -> Work:
    """Return the audit of (staged task, programs).

    It is a row of the journal. The inputs are the task's own if it comes with more than base cases,
    else new ones made by (seed, budget).
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
            return {**_row(Finding(task.id, 0, ()), 0), "problem": list(astuple(recorded(error)))}

    return hear


def _row(finding: Finding, voters: int) -> Row:
    """Return the audit of a task as a row of the journal."""
    return {
        "task_id": finding.task_id,
        "jurors": voters,
        "problem": None,
        "finding": _summarized(finding, voters) if finding.disputes else None,
        "disputes": list(rows(finding)),
    }


def _summarized(finding: Finding, voters: int) -> dict[str, Any]:
    """Return a finding for the summary, with its clearest disputes as examples."""
    return {
        "task_id": finding.task_id,
        "kind": finding.kind,
        "disputed": len(finding.disputes),
        "heard": finding.polled,
        "causes": dict(sorted(Counter(dispute.cause for dispute in finding.disputes).items())),
        "votes": max(dispute.votes for dispute in finding.disputes),
        "jurors": voters,
        "examples": [
            {
                **{key: row[key] for key in ("cause", "input", "reference", "allowed")},
                "camps": [{**camp, "programs": len(camp["programs"])} for camp in row["camps"]],
            }
            for row in (review_row(finding, each) for each in finding.clearest[:EXAMPLES])
        ],
    }


def _given(sandbox: Sandbox, task: Task, suite: Suite | None, sources: Sequence[str]) -> Row:
    # Order: the base cases choose the panel; the panel votes on all other cases; the contract then
    # decides which disputes, and which failures of the reference, are on allowed inputs.
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
        contract=False,  # inputs of a suite are audited as they are
        max_failures=MOST_SLOW,
    )
    poll = panel.poll(sandbox, answers.suite, answers.dropped, oddities(answers.suite))
    disputes = poll.disputes
    of_dropped = disputes[len(answers.suite.cases) :]
    open_ = [drop for drop, dispute in zip(answers.dropped, of_dropped, strict=True) if not dispute]
    failures = _failures(sandbox, task, open_)
    dispute = _vouched(sandbox, task, [*disputes, *failures])
    return _row(Finding(task.id, len(disputes), tuple(dispute)), len(panel.programs))


def _fresh(
    sandbox: Sandbox, task: Task, sources: Sequence[str], *, seed: int, budget: Budget
) -> Row:
    result = augment_task(sandbox, task, seed=seed, budget=budget, samples=sources)
    # Augmentation gives up on slow inputs early: they get more time here before they are doubted.
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
    vouched = _vouched(sandbox, task, [*result.review, *failures])
    return _row(Finding(task.id, new + len(vouched), tuple(vouched)), result.voters)


def _failures(sandbox: Sandbox, task: Task, dropped: Sequence[Dropped]) -> list[Dispute]:
    """Return disputes over those inputs that the contract allows and the reference fails on."""
    failed = [drop for drop in dropped if drop.cause in UNANSWERED][:MOST_FAILURES]
    if task.contract is None or not parse(task.contract).has_precondition or not failed:
        return []
    reasons = violations(sandbox, task.contract, [drop.case for drop in failed])
    return [unanswered(drop) for drop, why in zip(failed, reasons, strict=True) if why is None]


def _vouched(sandbox: Sandbox, task: Task, disputes: Iterable[Dispute | None]) -> list[Dispute]:
    """Return the disputes, each with the contract's decision on its input."""
    standing = [dispute for dispute in disputes if dispute is not None]
    if task.contract is None or not parse(task.contract).has_precondition or not standing:
        return standing
    reasons = violations(sandbox, task.contract, [each.case for each in standing])
    return [
        replace(each, allowed=reason is None)
        for each, reason in zip(standing, reasons, strict=True)
    ]


def audits(
    data: Dataset,
    sources: Mapping[str, Sequence[str]],
    backend: Backend,
    *,
    seed: int,
    budget: Budget,
    progress: Progress = SILENT,
) -> Iterator[dict[str, Any]]:
    """Yield the audit of every task, in order, as a row of the journal.

    The inputs are the task's own where it comes with more than base cases, else new ones made
    within ``budget``.
    """
    call = Call("evalplus_lite.jobs.auditing:audit_task", (seed, budget.to_row()))
    staging = SharedData(backend, data.suites)
    items = ((staging.ref(task), list(sources[task.id])) for task in data.tasks)
    yield from backend.map(call, items, done=lambda row: progress.advance())


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


@dataclass(frozen=True, slots=True)
class AuditResult(Result):
    """References and inputs for a person to review; ``disputes`` are the rows of all.

    ``left_out`` rows of the sample files are not answers to any task.
    """

    kind: ClassVar[str] = "audit"

    disputes: tuple[dict[str, Any], ...]
    left_out: int

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each disputed input: both answers, the votes, the contract's
        decision.
        """
        return list(self.disputes)


def audit(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    inputs: int = 300,
    references: Dataset | None = None,
    seed: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> AuditResult:
    """List inputs on which most programs that pass the base cases contradict the reference.

        result = audit("tasks.jsonl", ["samples.jsonl", "more.jsonl"], inputs=20)
        [row["task_id"] for row in result.summary["findings"] if row["kind"] == "reference"]

    Nothing is decided: a task with many such inputs has a suspect reference, a few may be inputs
    that the task does not allow. A task that has only base inputs gets ``inputs`` new ones.
    ``references`` is a published dataset whose own references are audited instead. With ``out``, a
    folder, audit.json (the summary) and audit.jsonl (every disputed input, with the answers and
    their programs) are written there, and the same call resumes after a kill, unless ``force``
    starts over. Raises InputError for unusable input, with ``strict`` also for a single task or
    row.
    """
    with within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        data = data if references is None else with_references(data, references)
        stream = SampleStream(samples, data, strict=strict, backend=pool)
        sources = stream.by_task(mixed=True)
        stream.tell(opened)
        folder = None if out is None else made_folder(out)
        path = None if folder is None else folder / "audit.journal.jsonl"
        identity = {
            "kind": "audit",
            "content": content_hash(data),
            "programs": _name(sources),
            "inputs": inputs,
            "seed": seed,
        }
        with open_rows(path, identity=identity, force=force, batch=1) as journal:
            # A task is a row: a resumed run audits only tasks without one.
            done = {row["task_id"]: row for row in finished(journal, _read)}
            left = tuple(task for task in data.tasks if task.id not in done)
            opened.stage("audit", len(data.tasks))
            opened.advance(len(done), known=True)
            rest = replace(data, tasks=left)
            budget = Budget(inputs=inputs)
            for row in audits(rest, sources, pool, seed=seed, budget=budget, progress=opened):
                done[row["task_id"]] = row
                journal.append(row)
        run = run_facts(data, pool=pool, samples=stream.files, seed=seed)
    rows = [done[id] for id in data.ids]
    findings = [row["finding"] for row in rows if row["finding"]]
    problems = [Unusable(*row["problem"]) for row in rows if row["problem"]]
    disputes = tuple(dispute for row in rows for dispute in row["disputes"])
    # Rows are complete only now: the summary counts them in the order of the tasks.
    summary = {
        "run": run,
        "dataset": data.name,
        "tasks": len(rows),
        "heard": sum(row["jurors"] >= VOTES for row in rows),
        "reference": sum(row["kind"] == "reference" for row in findings),
        "input": sum(row["kind"] == "input" for row in findings),
        "disputes": len(disputes),
        "findings": findings,
        "unusable": [unusable_row(each) for each in (*data.unusable, *problems)],
        "notes": [],
    }
    result = AuditResult(summary, disputes, stream.faults.left_out)
    if folder is not None:
        write_jsonl(folder / "audit.jsonl", disputes)
        result.write_summary(folder / "audit.json")
    return result


def _name(sources: Mapping[str, Sequence[str]]) -> str:
    """Name all programs of all tasks, in their order."""
    digest = hashlib.sha256()
    for id, programs in sources.items():
        digest.update(f"{id} {' '.join(map(program_hash, programs))}\n".encode())
    return digest.hexdigest()[:32]


def _read(row: FileRow) -> dict[str, Any]:
    return {key: row.data[key] for key in ("task_id", "jurors", "problem", "finding", "disputes")}
