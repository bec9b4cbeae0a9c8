"""Whether tasks can be used: for each what will be tested, and what is ignored and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.execution.base import Call
from evalplus_lite.pipelines.context import Session, within
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.work.checking import checking, failed
from evalplus_lite.pipelines.work.staging import Staging
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks import load_dataset as read_dataset
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, with_base_cases
from evalplus_lite.types import Unusable

STATUSES = ("ready", "remarks", "unusable")


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """What was found of each task; ``ready`` ones first in the counts."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task: ``task_id``, ``status``, ``checks``, ``remarks``, ..."""
        return list(self.summary["tasks"])

    @property
    def unusable(self) -> list[dict[str, str]]:
        """The tasks that cannot be used, with ``task_id``, ``cause`` and ``detail``."""
        bad = [row for row in self.to_rows() if row["status"] == "unusable"]
        return [
            {
                "task_id": row["task_id"],
                "cause": row["remarks"][0]["kind"],
                "detail": row["remarks"][0]["detail"],
            }
            for row in bad
        ]


def check_tasks(
    dataset: Dataset | str | os.PathLike[str],
    *,
    tasks: Sequence[str] | None = None,
    session: Session | None = None,
) -> CheckResult:
    """Say of each task what will be tested, what is ignored, and why.

        for row in check_tasks("tasks.jsonl").to_rows():
            print(row["task_id"], row["status"], row["remarks"])

    ``dataset`` is a ``Dataset``, a name or a path, ``tasks`` chooses some, as ``Dataset.only``
    says. The reference is run on the task's own inputs, twice, and on the examples in its prompt;
    the contract is held against these inputs. ``status`` is ``ready``, ``remarks`` (usable, but
    something is lost or odd) or ``unusable``. A bad task stops no other. Raises InputError if no
    row of a file can be read.
    """
    with within(session) as opened:
        data = dataset if isinstance(dataset, Dataset) else read_dataset(dataset)
        data = data.only(tasks)
        order = data.all_ids if tasks is None else ()
        if any(map(has_hidden_cases, data.tasks)):
            data = with_base_cases(data, opened.pool())
        opened.stage("check tasks", len(data.tasks))
        staging = Staging(opened.pool(), data.suites)
        settings = SuiteSource(cache=opened.cache).settings
        call = Call(f"{checking.__module__}:{checking.__name__}", settings)
        rows = {each.task_id: _unread(each) for each in data.unusable}
        for row in opened.pool().map(call, map(staging.ref, data.tasks)):
            rows[row["task_id"]] = row
            opened.advance()
        place = {id: number for number, id in enumerate(order)}
        found = sorted(rows.values(), key=lambda row: place.get(row["task_id"], len(place)))
        run = run_facts(data, pool=opened.pool())
    counts = Counter(row["status"] for row in found)
    summary = {
        "run": run,
        "dataset": data.name,
        **{status: counts[status] for status in STATUSES},
        "tasks": found,
    }
    return CheckResult(summary)


def _unread(bad: Unusable) -> dict[str, Any]:
    """Return the row of a task that was not read, or whose test program its reference fails."""
    nothing = dict.fromkeys(("harness", "compared", "steps"))
    return {
        "task_id": bad.task_id,
        **nothing,
        "observe": [],
        "given": 0,
        "usable": 0,
        **failed(bad.cause, bad.detail),
    }
