"""What commands say of tasks that cannot be used, and of what suites lost or cannot see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplus_lite.cli.console import Screen

SHOWN = 10
"""Lines of one kind that are shown; results hold them all."""


def tell(report: Mapping[str, Any], screen: Screen) -> None:
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
    "weak": "{tasks} with a weak suite:",
}


def _lines(screen: Screen, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        screen.note(f"  {line}")
    if len(lines) > SHOWN:
        screen.note(f"  and {len(lines) - SHOWN} more")


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
