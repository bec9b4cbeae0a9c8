"""Augmentation of a dataset, with the task as the unit of work.

A task's suite depends on (seed, task, programs) alone, so any number of workers gives the same
file, and a journal of finished tasks lets a killed run resume.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.job import Defect
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.records import from_row, to_row, to_rows
from evalplus_lite.jobs.augmented_task import Budget
from evalplus_lite.jobs.datasets import SUITE, keep_dataset, prepared, run_facts, whole_hash
from evalplus_lite.jobs.expected import SharedData
from evalplus_lite.jobs.outputs import unfinished
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client, ModelSource, Replay
from evalplus_lite.models.completions import MOST_FAILURES
from evalplus_lite.models.contracts import WORDING, ContractResult, Reasons, is_open, llm_contract
from evalplus_lite.models.recording import PLAN, Recording
from evalplus_lite.models.seeds import SeedPlan, SeedResult, llm_seeds
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store import write_packed
from evalplus_lite.store.journal import finished, open_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.loading import refusal
from evalplus_lite.tasks.suite_file import unpacked_suites
from evalplus_lite.types import Task, Unusable, Value

ARGUMENT = re.compile(r"\bargument (\d+)")


def summarized(data: Dataset, facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return counts over all tasks: inputs by source, and those dropped by cause."""
    sources, dropped = Counter[str](), Counter[str]()
    for each in facts:
        sources.update(each["sources"])
        dropped.update(each["dropped"])
    by_model = {
        key: {each["task_id"]: each[name] for each in facts if each.get(name)}
        for key, name in (("contracts", "contract"), ("failures", "failures"))
    }
    done = {each["task_id"] for each in facts}
    base = sum(each["base_count"] for each in facts)
    scripts = {task.id for task in data.tasks if task.harness.kind == "script"}
    by_task = {
        each["task_id"]: [
            # A script's input is one text, and the values in it are not arguments.
            {**constraint, "text": ARGUMENT.sub(r"value \1 of the input", constraint["text"])}
            if each["task_id"] in scripts
            else constraint
            for constraint in each["provenance"].get("constraints", ())
            # Constraints are shown with their support, so that a person can overrule them.
            # Simple limits are not shown.
            if constraint["needed"] > 1 or constraint["is_chosen"] or constraint["is_stated"]
        ]
        for each in facts
    }
    return {
        "dataset": data.name,
        "tasks": len(facts),
        "base": base,
        "new": sum(sources.values()) - base,
        "stress": sum(each["stress"] for each in facts),
        "doubtful": {each["task_id"]: each["doubtful"] for each in facts if each["doubtful"]},
        "sources": dict(sorted(sources.items())),
        "dropped": dict(sorted(dropped.items())),
        "left_out": [task for task in data.ids if task not in done],
        "without_new": [
            each["task_id"]
            for each in facts
            if each["provenance"].get("inputs") and each["base_count"] == each["count"]
        ],
        "constraints": {task: constraints for task, constraints in by_task.items() if constraints},
        "unreached": {each["task_id"]: each["unreached"] for each in facts if each["unreached"]},
        "notes": {each["task_id"]: list(each["notes"]) for each in facts if each["notes"]},
    } | {key: found for key, found in by_model.items() if found}


JOURNAL = "augment.journal.jsonl"


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A finished task: its ``facts`` (``augmented_task.augmenting``) and packed suite row."""

    facts: Mapping[str, Any]
    suite: bytes

    @property
    def task_id(self) -> str:
        """The task's id."""
        return str(self.facts["task_id"])


@dataclass(frozen=True)
class AugmentationResult(Result):
    """Augmented suites; ``tasks`` are those that have one, in order."""

    kind: ClassVar[str] = "suite"

    tasks: tuple[FinishedTask, ...]

    @cached_property
    def dataset(self) -> Dataset:
        """The tasks with their suites, for use in any other job."""
        suites = unpacked_suites(task.suite for task in self.tasks)
        return replace(suites, name=self.summary["dataset"])

    def doubt(self, task_id: str) -> str:
        """Return the reason for a task's first doubtful input; "" if there is none."""
        return next((str(t.facts["doubt"]) for t in self.tasks if t.task_id == task_id), "")

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task: its number of ``inputs``, ``base`` and ``new`` ones."""
        return [
            {
                "task_id": task.task_id,
                "inputs": task.facts["count"],
                "base": task.facts["base_count"],
                "new": task.facts["count"] - task.facts["base_count"],
            }
            for task in self.tasks
        ]


def augment(
    dataset: Dataset | str | os.PathLike[str],
    *,
    inputs: int = 1000,
    seed: int = 0,
    seeds: ModelSeeds | None = None,
    doubtful: bool = False,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> AugmentationResult:
    """Add inputs to a dataset, with their expected outputs.

        suite = augment("tasks.jsonl", inputs=20, out="out/suite")
        evaluate(suite.dataset, "samples.jsonl")

    ``inputs`` is the number of new inputs per task; the same ``seed`` gives the same suites.
    ``seeds`` provides a model's seed inputs (``seed_source``). With ``doubtful``, inputs that
    violate a likely but unconfirmed constraint become tests; by default they become stress tests.

    With ``out``, a folder, suite.jsonl.gz and summary.json are written there; the same call resumes
    after a kill, unless ``force`` starts over. With ``shard``, such as ``"2/4"``, only a part of
    the tasks is augmented, for ``merge``. Unusable tasks are in ``result.unusable``. Raises
    InputError if no task is usable.
    """
    keep_dataset(out, dataset)
    # 1. What all tasks share: the budget, the sandboxes, the data with its base cases.
    budget = Budget(inputs=inputs, doubtful=doubtful)
    with within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        # 2. The identity: everything that a task's suite depends on, so that rows of other settings
        # are never reused. Unused optional parts are left out.
        identity = {
            "kind": "augmentation",
            "content": whole_hash(data),
            "seed": seed,
            "inputs": inputs,
            "seeds": getattr(seeds, "name", None),
            **opened.facts,
        }
        if doubtful:
            identity["doubtful"] = True
        if choices := {task.id: dict(task.constraints) for task in data.tasks if task.constraints}:
            identity["constraints"] = choices
        if seeds is not None:
            seeds.require_replies(data.tasks)
            if seeds.contracts:
                identity["contracts"] = WORDING
        # A shard takes its part of the tasks before any is augmented.
        share = share_of(shard, out, kind="augment", journal=JOURNAL)
        tasks = data.tasks
        if share is not None:
            costs = {task.id: 1 + inputs + len(task.cases) for task in tasks}
            share.plan(costs, facts=identity, force=force)
            tasks = tuple(task for task in tasks if task.id in share.items)
        # 3. The journal: a row for each task, written as soon as its suite is complete.
        target = out if share is None else share.out
        folder = None if target is None else made_folder(target)
        path = None if folder is None else folder / JOURNAL
        left_out: list[Unusable] = list(data.unusable)
        with open_rows(path, identity=identity, force=force, batch=1) as journal:

            def read(row: FileRow) -> FinishedTask:
                facts = dict(row.data)
                return FinishedTask(facts, base64.b64decode(facts.pop("suite"), validate=True))

            suites_of = {each.task_id: each for each in finished(journal, read)}
            opened.stage("augment", len(tasks))
            if suites_of:
                opened.note(f"{len(suites_of)} tasks were done already")
            opened.advance(len(suites_of), known=True)
            # 4. The work. Rows arrive in the order of the items; ``new`` holds the tasks whose
            # rows have not arrived yet.
            left = [task for task in tasks if task.id not in suites_of]
            new = deque[tuple[Task, SeedResult]]()
            if left and folder is not None:
                unfinished(folder, JOURNAL)
            staging = SharedData(pool)

            def items() -> Iterator[Row]:
                # The model is queried ahead of the sandboxes, so that no worker waits for it.
                none = (SeedResult(task_id=task.id, cases=()) for task in left)
                replies = none if seeds is None else seeds.each(left, pool)
                for task, found in zip(left, replies, strict=True):
                    new.append((task, found))
                    yield staging.ref(task), to_rows(found.cases), found.contract

            call = Call("evalplus_lite.jobs.augmented_task:augmenting", (seed, to_row(budget)))
            rows = pool.map(call, items(), lost=_failed, done=lambda row: opened.advance())
            for facts, rest in rows:
                task, asked = new.popleft()
                # A task without a usable case does not end the run: it is listed with its cause.
                if facts is None:
                    left_out.append(replace(from_row(Unusable, rest), task_id=task.id))
                    continue
                if failures := [*asked.failures, *filter(None, [facts.pop("no_contract", "")])]:
                    facts["failures"] = failures
                for cause, count in asked.dropped.items():
                    if count:
                        facts["dropped"][f"{cause} (model)"] = count
                suites_of[task.id] = FinishedTask(facts, rest)
                if folder is not None:
                    journal.append({**facts, "suite": base64.b64encode(rest).decode()})
        # Resumed and new tasks are put in the dataset's order.
        results = [suites_of[task.id] for task in tasks if task.id in suites_of]
        # The journal is closed by now, as ``end`` counts the rows in its file.
        if share is not None and share.is_part:
            return AugmentationResult(share.end(), tuple(results))
        # A part has no suite of its own: ``merge`` resumes from all journals and ends here.
        if not results:
            raise refusal(left_out)
        summary = {
            "run": run_facts(data, pool=pool, seed=seed),
            **summarized(data, [each.facts for each in results]),
            "unusable": [asdict(each) for each in left_out],
        }
    result = AugmentationResult(summary, tuple(results))
    if folder is not None:
        write_packed(folder / SUITE, (each.suite for each in results))
        result.write_summary(folder / "summary.json")
    return result


def _failed(_: Row, error: Exception) -> Row:
    """Return the row of a task on which our own code failed; a machine failure ends the run."""
    if not isinstance(error, Defect):
        raise error
    return None, to_row(Unusable("", "defect", f"{error}; please report it"))


# Seeds from a language model: requested here, checked where programs are run.


@dataclass(frozen=True)
class ModelSeeds:
    """Asks a model, or its recorded replies, for seeds of tasks.

    With ``contracts``, also for a contract of each task that has none, which the seeds must keep.
    """

    source: ModelSource
    seed: int
    name: str
    plan: SeedPlan | None = None
    contracts: bool = False

    def require_replies(self, tasks: Iterable[Task]) -> None:
        """Raise InputError if the recorded replies have none for any of these tasks."""
        plan, first = replace(self.plan or SeedPlan(), feedback=0), ""
        before = self.source.usage.recorded
        for task in tasks if isinstance(self.source, Replay) else ():
            result = llm_seeds(task, self.source, seed=self.seed, plan=plan)
            if self.source.usage.recorded > before:
                return
            first = first or result.failures[0]
        if first:
            raise InputError(f"no recorded reply matches these tasks and this seed: {first}")

    def each(self, tasks: Iterable[Task], backend: Processes) -> Iterator[SeedResult]:
        """Yield the model's valid new inputs for each task, with the requests that failed.

        Several tasks are queried at a time, in threads of the model's client. Raises LLMError if
        the server fails on ``MOST_FAILURES`` tasks in a row.
        """
        in_a_row = 0
        for result in self.source.each(lambda task: self._of(task, backend), tasks):
            in_a_row = in_a_row + 1 if result.broken and not result.turns else 0
            if in_a_row == MOST_FAILURES:
                raise LLMError(f"{result.failures[-1]} ({in_a_row} tasks in a row; run again)")
            yield result

    def _of(self, task: Task, backend: Processes) -> SeedResult:
        def refused(contract: str, inputs: Sequence[tuple[Value, ...]]) -> Reasons:
            # A contract is untrusted code, so it runs in a sandbox, not in this thread.
            call = Call("evalplus_lite.jobs.augmented_task:refusing")
            return backend.submit(call, (contract, list(inputs)), then=list[Any]).result()

        def valid(inputs: Sequence[tuple[Value, ...]]) -> Sequence[str | None]:
            if task.contract is None or not inputs:
                return [None] * len(inputs)
            return [reason and reason[0] for reason in refused(task.contract, inputs)]

        written = ContractResult()
        if self.contracts and is_open(task):
            written = llm_contract(task, self.source, refused)
            task = replace(task, contract=written.text or None)
        result = llm_seeds(task, self.source, seed=self.seed, plan=self.plan, valid=valid)
        return replace(
            result,
            contract=written.text,
            failures=(*filter(None, [written.failure]), *result.failures),
            broken=result.broken + written.is_broken,
        )


def seed_source(
    replay: Sequence[Path],
    *,
    model: str | None,
    base_url: str | None,
    seed: int,
    timeout: float = 300.0,
    contracts: bool = False,
) -> ModelSeeds | None:
    """Return the source of LLM seeds: recorded files, a server's model, or None.

    ``timeout`` is the maximum number of seconds for one answer of the model. With ``contracts``, it
    also writes a contract for each task that has none. Raises InputError if nobody can be asked.
    """
    if contracts and (model is None or replay):
        raise InputError("no model to write contracts", remedy="give --model, without --replay")
    if replay:
        # The name is part of a journal's identity, so it is a hash of the replies.
        digest = hashlib.sha256()
        for path in replay:
            digest.update(path.read_bytes() if path.is_file() else b"")
        source, name = Replay(*replay, model=model), digest.hexdigest()[:16]
        if not (replay[0].parent / PLAN).is_file():
            return ModelSeeds(source, seed, name)
        plan = Recording.open(replay[0].parent)  # the prompts that were recorded, word for word
        return ModelSeeds(source, plan.seed, name, plan.seeds)
    if model is not None:
        client = Client(model, base_url=base_url, timeout=timeout)
        return ModelSeeds(client, seed, model, contracts=contracts)
    return None
