"""The formats that suites are exported to, by name. A new format is a function and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reports.exporters.entry import Card, ExportedTask, Written, unheld
from evalplus_lite.reports.exporters.evalplus import write_evalplus
from evalplus_lite.reports.exporters.huggingface import write_huggingface
from evalplus_lite.reports.exporters.humaneval import write_humaneval
from evalplus_lite.reports.exporters.pytest_suite import KINDS, write_pytest
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Task


class Exporter(Protocol):
    """Writes tasks to a file or folder; raises InputError if it cannot."""

    def __call__(self, path: Path, entries: Sequence[ExportedTask], card: Card, /) -> Written:
        """Write ``path`` and return how many tasks it holds and how many cases it cannot hold."""
        ...


EXPORTERS: Mapping[str, Exporter] = {
    "evalplus": write_evalplus,
    "humaneval": write_humaneval,
    "pytest": write_pytest,
    "huggingface": write_huggingface,
}


LATER = frozenset({"any", "lines", "tokens", "numbers"})
"""Rules that evalplus knows nothing of, whatever a task is called."""


def exporter(name: str) -> Exporter:
    """Return the exporter of a format; InputError lists the formats there are."""
    if name not in EXPORTERS:
        raise InputError(f"no format named {name!r}", remedy=one_of(name, EXPORTERS))
    return EXPORTERS[name]


def unexpressed(name: str, task: Task) -> str:
    """Return why a format cannot hold a task, "" if it can."""
    reason = unheld(task, kinds=KINDS if name == "pytest" else ())
    if reason or name != "evalplus":
        return reason
    if task.rule.is_arranged or task.rule.kind in LATER:
        return f"evalplus has no rule {task.rule.kind!r} with what is said of it"
    # Which inputs have one right answer cannot be told, so the whole task is left out. So are tasks
    # that evalplus has a rule for (find_zero, surface_Area): it accepts fewer answers than a check.
    if has_check(task):
        return "it compares with the reference's answer, and the contract's check accepts others"
    return ""
