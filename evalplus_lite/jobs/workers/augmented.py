"""The result of augmenting a task: its suite, with accepted, dropped and skipped inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.execution.base import Row
from evalplus_lite.generate.engine.scale import LARGE, weight
from evalplus_lite.grading.subsets import relinked, subset
from evalplus_lite.jobs.consensus import Dispute, Finding, rows
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.sandbox.steps import StepBudget
from evalplus_lite.store.opening import Packed
from evalplus_lite.store.writing import packed_row
from evalplus_lite.tasks.suite_file import suite_row
from evalplus_lite.types import Case, Suite, Task

LONGEST_ANSWER = 1 << 15
"""Bytes, in wire form, of the expected output of a generated input."""


@dataclass(frozen=True, slots=True)
class Augmented:
    """A task's suite, with how many inputs came from where and were dropped for which cause.

    ``review`` are the inputs that were set aside since most of ``voters`` programs contradict the
    reference on them. ``unanswered`` are some of the inputs that the reference raises on or is too
    slow for.
    """

    suite: Suite
    sources: Mapping[str, int]
    dropped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    review: tuple[Dispute, ...] = ()
    voters: int = 0
    unanswered: tuple[Case, ...] = ()


def ordered(suite: Suite) -> Suite:
    """Return the suite with its large cases last, behind all others that are not base cases.

    What is quick to run decides first, and a program that fails is not run on the rest.
    """
    places = sorted(
        range(len(suite.cases)),
        key=lambda at: at >= suite.base_count and weight(suite.cases[at].arguments) > LARGE,
    )
    chosen = subset(suite, places)
    return replace(chosen, cases=relinked(chosen.cases, places))


def too_long(suite: Suite) -> dict[int, None]:
    """Return the positions of answers longer than ``LONGEST_ANSWER``, in order."""
    blobs = suite.blobs.items()
    sizes = [each.size if isinstance(each, Packed) else len(each) for each in blobs]
    return dict.fromkeys(at for at, size in enumerate(sizes) if size > LONGEST_ANSWER)


def bounds(
    kept: int,
    proposed: int,
    budget: Budget,
    dropped: Mapping[str, int],
    is_idle: bool,
    sizes: object,
    step_budget: StepBudget,
) -> dict[str, Any]:
    """Return the bounds of a task's inputs for its provenance: their number, sizes, and cost to the
    reference."""
    end = "inputs" if kept >= budget.inputs else "patience" if is_idle else "space"
    return {
        "kept": kept,
        "proposed": proposed,
        "end": end if step_budget.left or end == "inputs" else "steps",
        "steps": {
            "spent": step_budget.spent,
            "of": step_budget.total,
            "next": step_budget.next_share,
        },
        "dropped": {name: count for name, count in sorted(dropped.items()) if count > 0},
        "sizes": sizes,
    }


def finished(task: Task, result: Augmented) -> Row:
    """Return a finished task as (facts, part of the suite file), so that who collects it writes
    them and needs to look at no case."""
    suite = result.suite
    facts = {
        "task_id": task.id,
        "base_count": suite.base_count,
        "count": len(suite.cases),
        "stress": 0 if suite.stress is None else len(suite.stress.cases),
        "provenance": dict(suite.provenance),
        "sources": dict(result.sources),
        "dropped": dict(result.dropped),
        "notes": list(result.notes),
        "review": list(rows(Finding(task.id, len(suite.cases), result.review))),
        "jurors": result.voters,
    }
    return facts, packed_row(suite_row(task, suite))
