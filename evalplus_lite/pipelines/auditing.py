"""Tasks and samples to findings: where programs contradict a reference, or it fails by itself."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from evalplus_lite.consensus.disputes import VOTES, Camp, Dispute, Finding, Vote, review_row, rows
from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.grading.evidence import unusable_row
from evalplus_lite.pipelines.context import Session, made_folder, within
from evalplus_lite.pipelines.datasets import content_hash, prepared
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.samples import Samples, SampleStream
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.pipelines.work.staging import Staging, cases_of
from evalplus_lite.programs import program_hash
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.resuming import finished, open_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Unusable

EXAMPLES = 3
"""Disputed inputs of a task that its finding shows; audit.jsonl has all."""


@dataclass(frozen=True, slots=True)
class TaskAudit:
    """What an audit did for a task: the finding, and how many programs were on the panel.

    ``problem`` is why a task could not be audited at all.
    """

    finding: Finding
    voters: int
    problem: Unusable | None = None


def audits(
    data: Dataset,
    sources: Mapping[str, Sequence[str]],
    backend: Backend,
    *,
    seed: int,
    budget: Budget,
    progress: Progress | None = None,
) -> Iterator[TaskAudit]:
    """Yield an audit of every task, in order.

    The inputs are the task's own where it comes with more than base cases, else new ones made
    within ``budget``.
    """
    progress = progress or Silent()
    call = Call("evalplus_lite.pipelines.work.auditing:audit", (seed, budget.to_row()))
    staging = Staging(backend, data.suites)
    items = ((staging.ref(task), list(sources[task.id])) for task in data.tasks)
    for row in backend.map(call, items):
        progress.advance()
        yield _audit_of(row)


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


def _dispute_of(row: Row) -> Dispute:
    """Return a dispute that work handed on as plain data."""
    cases, cause, reference, majority, votes, voters, allowed, camps = row
    return Dispute(
        cases_of(cases)[0],
        cause,
        Vote(*reference),
        Vote(*majority),
        votes,
        voters,
        allowed,
        tuple(Camp(Vote(*vote), tuple(names), is_own) for vote, names, is_own in camps),
    )


def _audit_of(row: Row) -> TaskAudit:
    task_id, polled, disputes, voters, problem = row
    found = Finding(task_id, polled, tuple(_dispute_of(each) for each in disputes))
    return TaskAudit(found, voters, None if problem is None else Unusable(*problem))


@dataclass(frozen=True, slots=True)
class AuditResult(Result):
    """References and inputs that someone should look at; ``disputes`` are the rows of all.

    ``left_out`` rows of the sample files are no answers to any task.
    """

    disputes: tuple[dict[str, Any], ...]
    left_out: int

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a disputed input: both answers, the votes, what the contract says."""
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
    folder, audit.json (the summary) and audit.jsonl (every disputed input, with who says what) are
    written there, and the same call goes on after a kill, unless ``force`` drops what is there.
    Raises InputError for what cannot be used, with ``strict`` also for a single task or row.
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
            done = {row["task_id"]: row for row in finished(journal, _read)}
            left = tuple(task for task in data.tasks if task.id not in done)
            opened.stage("audit", len(data.tasks))
            opened.advance(len(done), known=True)
            rest = replace(data, tasks=left)
            budget = Budget(inputs=inputs)
            for each in audits(rest, sources, pool, seed=seed, budget=budget, progress=opened):
                done[each.finding.task_id] = row = _row(each)
                journal.append(row)
        run = run_facts(data, pool=pool, samples=stream.files, seed=seed)
    found = [done[id] for id in data.ids]
    findings = [row["finding"] for row in found if row["finding"]]
    problems = [Unusable(*row["problem"]) for row in found if row["problem"]]
    disputes = tuple(dispute for row in found for dispute in row["disputes"])
    summary = {
        "run": run,
        "dataset": data.name,
        "tasks": len(found),
        "heard": sum(row["jurors"] >= VOTES for row in found),
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


def _row(audit: TaskAudit) -> dict[str, Any]:
    """Return all that a result says of a task, as a row of the journal."""
    return {
        "task_id": audit.finding.task_id,
        "jurors": audit.voters,
        "problem": None if audit.problem is None else list(astuple(audit.problem)),
        "finding": _finding_row(audit) if audit.finding.disputes else None,
        "disputes": list(rows(audit.finding)),
    }


def _read(row: FileRow) -> dict[str, Any]:
    return {key: row.data[key] for key in ("task_id", "jurors", "problem", "finding", "disputes")}


def _finding_row(audit: TaskAudit) -> dict[str, Any]:
    finding = audit.finding
    return {
        "task_id": finding.task_id,
        "kind": finding.kind,
        "disputed": len(finding.disputes),
        "heard": finding.polled,
        "causes": dict(sorted(Counter(dispute.cause for dispute in finding.disputes).items())),
        "votes": max(dispute.votes for dispute in finding.disputes),
        "jurors": audit.voters,
        "examples": [
            {
                **{key: row[key] for key in ("cause", "input", "reference", "allowed")},
                "camps": [{**camp, "programs": len(camp["programs"])} for camp in row["camps"]],
            }
            for row in (review_row(finding, each) for each in finding.clearest[:EXAMPLES])
        ],
    }
