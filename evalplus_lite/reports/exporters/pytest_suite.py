"""A folder with a readable pytest file per task, for ``pytest DIR --solution my_solution.py``.

The files need only pytest. They run the solution in pytest's own process, without a sandbox, so use
them only for code that you trust.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.reports.exporters.suites import (
    TEMPLATES,
    Card,
    ExportedTask,
    Lost,
    judging_text,
    lost_cases,
)
from evalplus_lite.sandbox.guest_programs import module_text
from evalplus_lite.store import write_text
from evalplus_lite.types import HarnessKind, clip
from evalplus_lite.values.source import call, literal

ID_LENGTH = 60
KINDS: tuple[HarnessKind, ...] = ("call", "method", "sequence", "factory", "script")


def write_pytest(folder: Path, entries: Sequence[ExportedTask], card: Card | None = None) -> Lost:
    """Write the folder's files, one for each task, and a README.md.

    Cases are sorted by length, so that the first failure shown is the shortest. Raises
    InputError if two tasks would share a file, or a file cannot be written.
    """
    names: dict[str, str] = {}
    for entry in entries:
        name = file_name(entry.task.id).casefold()  # some file systems ignore case
        other = names.setdefault(name, entry.task.id)
        if other != entry.task.id:
            raise InputError(
                f"tasks {other!r} and {entry.task.id!r} would be one file",
                remedy="choose one of them with --tasks, or give it another id",
            )
    write_text(folder / "conftest.py", TEMPLATES.get_template("conftest.txt").render())
    if any(entry.task.harness.row for entry in entries):
        write_text(folder / "harness.py", module_text())
    for entry in entries:
        write_text(folder / file_name(entry.task.id), task_text(entry))
    lost = lost_cases(entries)
    write_text(folder / "README.md", _readme(entries, card or Card(), lost))
    return lost


def _readme(entries: Sequence[ExportedTask], card: Card, lost: Lost) -> str:
    rows = [(each.task_id, each.detail) for each in card.left_out]
    reason = "{} inputs that are nested too deeply, or of a class that the program declares"
    rows += [(id, reason.format(count)) for id, count in lost.items()]
    lines = [f"    {clip(id)}: {clip(text)}" for id, text in rows]  # as code, so no text is markup
    return TEMPLATES.get_template("pytest.md").render(
        name=clip(card.name),
        tasks=len(entries),
        cases=sum(len(entry.suite.cases) for entry in entries) - sum(lost.values()),
        left_out="\n".join(lines) or "No task and no input was left out.",
    )


def file_name(task_id: str) -> str:
    """Return a task's file name: ``HumanEval/3`` is tested by ``test_HumanEval_3.py``."""
    return f"test_{re.sub(r'[^A-Za-z0-9_]', '_', task_id)}.py"


def task_text(entry: ExportedTask) -> str:
    """Return the source of one task's test file."""
    task = entry.task
    heading = f"{task.id}: {len(entry.base)} base and {len(entry.plus)} further cases"
    of = f" of `{task.entry_point}`" if task.entry_point else ""
    prompt = task.prompt.strip().splitlines()
    return TEMPLATES.get_template("pytest.txt").render(
        heading=f"{_docstring(heading)}{of}.",
        about="\n".join(f"# {_shown(line)}".rstrip() for line in prompt),
        id=ascii(task.id),
        entry_point=repr(task.entry_point),
        harness=repr(task.harness.row),
        name=task.entry_point.replace(".", "_") or "script",
        cases=sorted(_rows(entry), key=lambda row: (len(row[0]), row[0], row[2])),
        judging=judging_text(task),
    )


def _rows(entry: ExportedTask) -> Iterable[tuple[str, str, str]]:
    for number, case, expected in entry.literals():
        group = "base" if number < entry.suite.base_count else "plus"
        text = call("", case.arguments)
        if len(text) > ID_LENGTH:
            text = f"{text[: ID_LENGTH - 4]}...)"
        yield literal(tuple(case.arguments)), literal(expected), ascii(f"{group}-{number}{text}")


def _docstring(text: str) -> str:
    return _shown(text).replace("\\", "\\\\").replace('"', "'")


def _shown(line: str) -> str:
    """Return a line with control characters and invisible ones escaped."""
    return "".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in line)
