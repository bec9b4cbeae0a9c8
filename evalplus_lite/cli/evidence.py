"""What commands say of tasks that cannot be used, and of what suites lost or cannot see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalplus_lite.cli.console import Screen
    from evalplus_lite.execution.both import Pool
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.tasks import Dataset
    from evalplus_lite.types import Unusable

SHOWN = 10
"""Lines of one kind that are shown; results hold them all."""


def listed(data: Dataset, source: SuiteSource) -> dict[str, Any]:
    """Return the unusable tasks, and the notes on the others, in the data set's order."""
    from evalplus_lite.grading.evidence import evidence_rows, unusable_row

    known = source.evidence
    has_plus = data.has_plus
    notes = [
        row
        for id in data.ids
        if id in known
        for row in evidence_rows(id, known[id], has_plus=has_plus)
    ]
    return {"unusable": [unusable_row(each) for each in unusable(data, source)], "notes": notes}


def unusable(data: Dataset, source: SuiteSource) -> list[Unusable]:
    """Return the tasks that cannot be read, then those that turned out to have no usable case."""
    return [*data.unusable, *(source.unusable[id] for id in data.ids if id in source.unusable)]


def require_all(data: Dataset, source: SuiteSource, pool: Pool, screen: Screen) -> None:
    """Raise InputError, listing them all, if any task cannot be used."""
    from evalplus_lite.tasks.loading import refusal

    screen.stage("references", len(data.tasks))
    source.prepare(data.tasks, pool)
    found = unusable(data, source)
    if found:
        raise refusal(found)


def require_any(count: int, data: Dataset, source: SuiteSource) -> None:
    """Raise InputError, listing the causes, if of all tasks none can be used."""
    from evalplus_lite.tasks.loading import refusal

    if not count:
        raise refusal(unusable(data, source))


def tell(report: dict[str, Any], screen: Screen) -> None:
    """Say which tasks cannot be used, and what is known of the others' suites."""
    bad = report["unusable"]
    if bad:
        verb = "is" if len(bad) == 1 else "are"
        screen.note(f"{_tasks(len(bad))} cannot be used and {verb} in no figure:")
        _lines(screen, [f"{row['task_id']}: {row['detail']}" for row in bad])
    for kind, title in TITLES.items():
        rows = [row for row in report["notes"] if row["kind"] == kind]
        if rows:
            total = sum(row.get("count", 1) for row in rows)
            tasks = _tasks(len({row["task_id"] for row in rows}))
            screen.note(title.format(total=total, tasks=tasks))
            _lines(screen, [f"{row['task_id']}: {row['detail']}" for row in rows])


TITLES = {
    "dropped": "{total} inputs of {tasks} are no tests:",
    "no base": "without a base case, so that base is judged by all cases, {tasks}:",
    "no plus": "without a case beyond the base ones, so that plus is base, {tasks}:",
    "constant": "one answer on every case, {tasks}:",
}


def _lines(screen: Screen, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        screen.note(f"  {line}")
    if len(lines) > SHOWN:
        screen.note(f"  and {len(lines) - SHOWN} more")


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
