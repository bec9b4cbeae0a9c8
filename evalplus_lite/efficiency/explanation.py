"""The share of a program's work by line, next to that of a faster program."""

from __future__ import annotations

import os
from itertools import zip_longest

from evalplus_lite.efficiency.job import allowed, grown_task
from evalplus_lite.efficiency.work import lines, uncounted, work
from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.jobs.datasets import prepared
from evalplus_lite.jobs.expected import SharedData
from evalplus_lite.jobs.session import Session, within
from evalplus_lite.jobs.tables import Table
from evalplus_lite.tasks import Dataset

WORK_FACTOR = 10
"""Factor by which the limit on work is raised for a single program."""


def explain_task(place: WorkerContext, settings: Row) -> Work:
    """Return size and shape of a program's costliest input, and several programs' work by line."""

    def explained(item: Row) -> Row:
        ref, sources = item
        task, grown = grown_task(place, ref, settings)
        reasons = list(map(uncounted, sources))
        if not grown or any(reasons):
            return "".join(reasons) or "no inputs of this task grow", 0, "", []
        level, most = grown[-1], WORK_FACTOR * allowed(grown)
        works = work(place.sandbox, task, sources[0], level.cases, level.expected, most=most)
        at = max(range(len(works)), key=lambda number: works[number].units or 0)
        parts = [lines(place.sandbox, task, source, level.cases[at], most=most)
                 for source in sources]  # fmt: skip
        cause = works[-1].cause  # works end with the first failure
        return cause, level.size, level.shapes[at], [list(part.items()) for part in parts]

    return explained


def explain(
    dataset: Dataset | str | os.PathLike[str],
    task_id: str,
    program: str,
    *,
    faster: str = "",
    seed: int = 0,
    session: Session | None = None,
) -> Table:
    """Return the work by line of a right program, side by side with that of a faster one.

    ``faster`` defaults to the reference. Both run on the input of the largest size that costs the
    program most. The table's ``data`` has shares as numbers. Raises InputError if a program cannot
    be counted, or fails.
    """
    with within(session) as opened:
        task = prepared(dataset, opened)[task_id]
        texts = [program, faster or task.reference]
        pool = opened.pool()
        item = SharedData(pool).ref(task), texts
        call = Call(f"{__name__}:{explain_task.__name__}", seed)
        ((reason, size, shape, parts),) = pool.map(call, [item])
    if reason:
        raise InputError(f"{task_id}: the work of a program cannot be explained: {reason}")
    totals = [max(1, sum(units for _, units in part)) for part in parts]
    columns = [
        [(dict(part).get(row, 0) / total, line) for row, line in enumerate(text.splitlines(), 1)]
        for text, part, total in zip(texts, parts, totals, strict=True)
    ]
    data = [(*one, *other) for one, other in zip_longest(*columns, fillvalue=(0.0, ""))]
    heads = ["share", "program", "share of the faster", "faster program"]
    return Table(
        "explanation",
        f"{task_id}: {totals[0]:,} and {totals[1]:,} units of work",
        heads,
        [[f"{x:.1%}" if type(x) is float and x else x or "" for x in row] for row in data],
        caption=f"Share of work by line, on a {shape} input of size {size}: "
        f"{totals[0] / totals[1]:.1f} times the work of the faster program.",
        left=4,
        data=[heads, *data],
    )
