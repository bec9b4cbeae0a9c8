"""Arguments that the commands of execution tasks share, and what they say of rows left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from evalplus_lite.cli.console import say
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.asking.prompt import Asked

MOST_NAMED = 5
"""Rows that are named one by one."""


def name_left_out(summary: Mapping[str, Any]) -> None:
    """Say which rows of a file of execution tasks cannot be asked about, and why."""
    rows = summary.get("left_out", [])
    for row in rows[:MOST_NAMED]:
        say(f"left out: {row['task_id']} (line {row['line']}): {row['reason']}")
    if len(rows) > MOST_NAMED:
        say(f"left out: {len(rows) - MOST_NAMED} more rows; --json names all")
    if summary.get("ignored"):
        say(f"{summary['ignored']} predictions are about rows that are left out, and not counted")


def asked_of(value: str) -> Asked:
    """Return what predictions are of; InputError names the two kinds."""
    for kind in get_args(Asked):
        if value == kind:
            return kind  # type: ignore[no-any-return]  # get_args knows no types
    raise InputError(f"--of is {value!r}", remedy=one_of(value, get_args(Asked)))
