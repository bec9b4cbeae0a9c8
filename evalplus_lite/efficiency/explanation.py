"""Where a program's work goes: its share by line, with a program that does less at its side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from evalplus_lite.efficiency.job import LEVELS, allowed, grown_task
from evalplus_lite.efficiency.work import lines, uncounted, work
from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.jobs.datasets import prepared
from evalplus_lite.jobs.expected import SharedData
from evalplus_lite.jobs.session import Session, within
from evalplus_lite.jobs.tables import Table
from evalplus_lite.tasks import Dataset

MAKER = "evalplus_lite.efficiency.explanation:explain_task"


@dataclass(frozen=True, slots=True)
class Explained:
    """A program's lines, each with its share of the program's ``units`` of work."""

    units: int
    lines: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The work of two programs on one input of ``size``, in a ``shape``, by line."""

    task_id: str
    size: int
    shape: str
    program: Explained
    faster: Explained

    def table(self) -> Table:
        """Return both programs side by side."""
        ratio = self.program.units / max(1, self.faster.units)
        rows = [
            (*_cells(one), *_cells(other))
            for one, other in zip_longest(self.program.lines, self.faster.lines)
        ]
        return Table(
            "explanation",
            f"{self.task_id}: {self.program.units:,} and {self.faster.units:,} units of work",
            f"Share of work by line, on a {self.shape} input of size {self.size}; the left program"
            f" does {ratio:.1f} times the work of the right one.",
            ["share", "program", "share ", "faster program"],
            rows,
            left=4,
        )


def _cells(line: tuple[float, str] | None) -> tuple[str, str]:
    if line is None:
        return "", ""
    return f"{100 * line[0]:.1f} %" if line[0] else "", line[1]


def explain_task(place: WorkerContext, settings: Row) -> Work:
    """Return size and shape of a program's worst large input, and the work by line of several."""

    def explained(item: Row) -> Row:
        ref, sources = item
        task, grown = grown_task(place, ref, *settings)
        reasons = list(map(uncounted, sources))
        if not grown or any(reasons):
            return "".join(reasons) or "no inputs of this task grow", 0, "", []
        level, most = grown[-1], allowed(grown[-1])
        works = work(place.sandbox, task, sources[0], level.cases, level.expected, most=most)
        failures = [each.cause for each in works if each.units is None]
        at = max(range(len(works)), key=lambda number: works[number].units or 0)
        parts = [
            list(lines(place.sandbox, task, source, level.cases[at], most=most).items())
            for source in sources
        ]
        return "".join(failures[:1]), level.size, level.shapes[at], parts

    return explained


def explain(
    dataset: Dataset | str | os.PathLike[str],
    task_id: str,
    program: str,
    *,
    faster: str = "",
    levels: int = LEVELS,
    seed: int = 0,
    session: Session | None = None,
) -> Explanation:
    """Return the work by line of a right program and a faster one, by default the reference.

    Both run on the largest input that costs the program most. Raises InputError where a program
    cannot be counted, or fails on it.
    """
    with within(session) as opened:
        task = prepared(dataset, opened)[task_id]
        texts = [program, faster or task.reference]
        item = SharedData(opened.pool()).ref(task), texts
        ((reason, size, shape, parts),) = opened.pool().map(Call(MAKER, (levels, seed)), [item])
    if reason:
        raise InputError(f"{task_id}: the work of a program cannot be explained: {reason}")
    one, other = map(_explained, texts, parts)
    return Explanation(task_id, size, shape, one, other)


def _explained(source: str, parts: Sequence[tuple[int, int]]) -> Explained:
    units = dict(parts)
    total = sum(units.values())
    rows = enumerate(source.rstrip().splitlines(), 1)
    return Explained(total, tuple((units.get(row, 0) / max(1, total), text) for row, text in rows))
