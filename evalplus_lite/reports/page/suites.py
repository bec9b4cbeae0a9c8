"""Evaluations side by side: those of the same tasks and inputs, and what a page's index says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.jobs.outputs import Evaluation, ModelRun, TaskCount, entrants, group_of
from evalplus_lite.reports.page.document import EntrantPart, Estimate, SuitePart
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.pass_at_k import Count, estimate
from evalplus_lite.tasks import Dataset

MISSING = (
    "Prompts, references and inputs were not given: call report with -d and the data set that"
    " judged ({name}, content {content})."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The entrants judged by one content, with the ids of all tasks any of them has.

    ``data`` are the tasks themselves, None where they were not found.
    """

    entrants: Sequence[ModelRun]
    ids: Sequence[str]
    data: Dataset | None

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.entrants[0].evaluation.dataset

    @property
    def content(self) -> str:
        """The hash of what judged."""
        return self.entrants[0].evaluation.content


def judged(evaluations: Sequence[Evaluation], data: Mapping[str, Dataset]) -> list[Judged]:
    """Return evaluations by content, in first order; ``data`` has tasks by content."""
    found: dict[str, list[Evaluation]] = {}
    for each in evaluations:
        found.setdefault(each.content, []).append(each)
    result = []
    for content, some in found.items():
        sides = entrants(some)
        known = {id for side in sides for id in side.counts}
        tasks = data.get(content)
        order = [id for id in tasks.all_ids if id in known] if tasks else []
        rest = dict.fromkeys(id for side in sides for id in side.counts)
        result.append(Judged(sides, list(dict.fromkeys([*order, *rest])), tasks))
    return result


def suite_part(suite: Judged) -> SuitePart:
    """Return the index's part on a suite."""
    missing = "" if suite.data else MISSING.format(name=suite.name, content=suite.content[:12])
    return {
        "name": suite.name,
        "content": suite.content,
        "has_plus": any(side.evaluation.has_plus for side in suite.entrants),
        "missing": missing,
        "entrants": [_entrant(side) for side in suite.entrants],
        "tasks": [
            {"id": id, "counts": [_counts(side.counts.get(id)) for side in suite.entrants]}
            for id in suite.ids
        ],
    }


def _counts(count: TaskCount | None) -> tuple[int, int, int] | None:
    return None if count is None else (count.total, count.base_right, count.plus_right)


def _entrant(side: ModelRun) -> EntrantPart:
    group = _group(side)
    kinds = ("base", "plus") if side.evaluation.has_plus else ("base",)
    counts = {
        "base": {id: Count(each.total, each.base_right) for id, each in side.counts.items()},
        "plus": {id: Count(each.total, each.plus_right) for id, each in side.counts.items()},
    }
    return {
        "label": side.label,
        "samples": sum(each.total for each in side.counts.values()),
        "tasks": len(side.counts),
        "scores": {kind: _scores(counts[kind], _ks(group)) for kind in kinds},
        "verdicts": {kind: dict(group.get(kind) or {}) for kind in kinds},
        "left_out": list(_left_out(side.evaluation.summary, group)),
        "run": {**side.evaluation.summary["run"], "folder": os.fspath(side.evaluation.folder)},
    }


def _group(side: ModelRun) -> Mapping[str, Any]:
    """Return what the summary says of an entrant; nothing if it was pooled with others."""
    for row in side.evaluation.summary["groups"]:
        if group_of(row) == side.group:
            return dict(row)
    return {}


def _ks(group: Mapping[str, Any]) -> list[int]:
    scores = (group.get("pass_at_k") or {}).get("base") or {}
    found = [name.removeprefix("pass@") for name in scores]
    return [int(each) for each in found if each.isdecimal()] or [1]


def _scores(counts: Mapping[str, Count], ks: Sequence[int]) -> dict[str, Estimate]:
    ends = intervals(counts, ks)
    return {
        name: {"value": value, "low": ends[name][0], "high": ends[name][1]}
        for name, value in estimate(counts, ks).items()
    }


def _left_out(summary: Mapping[str, Any], group: Mapping[str, Any]) -> Iterable[str]:
    """Yield a sentence for each thing that an evaluation does not count."""
    if without := group.get("tasks_without_samples"):
        yield f"{len(without)} tasks without a sample: {_some(without)}"
    if unusable := summary.get("unusable"):
        ids = [row["task_id"] for row in unusable]
        count = summary.get("unusable_samples", 0)
        yield f"{len(ids)} tasks that cannot judge ({count} samples of them): {_some(ids)}"
    rows = summary.get("rows") or {}
    if rows.get("left_out"):
        yield f"{rows['left_out']} rows of the sample files are no answers"
    if rows.get("unusable"):
        yield f"{rows['unusable']} answers cannot be programs and count as failing"
    if infra := summary.get("infra"):
        yield f"{len(infra)} samples that the machine failed on"


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (" ..." if len(ids) > 5 else "")
