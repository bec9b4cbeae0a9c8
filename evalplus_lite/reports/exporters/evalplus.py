"""The form that evalplus reads through ``HUMANEVAL_OVERRIDE_PATH`` and ``MBPP_OVERRIDE_PATH``.

Its rows are JSON without tags: tuples and sets are written as lists, as in its own files, and
complex numbers as strings. What JSON cannot say at all (bytes, keys that are not strings) is left
out, and counted. Expected outputs are not in the file: evalplus runs the reference itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evalplus_lite.reports.exporters.entry import Card, ExportedTask, Written
from evalplus_lite.reports.exporters.humaneval import check_text
from evalplus_lite.store import write_jsonl
from evalplus_lite.types import Case, Value
from evalplus_lite.values.kinds.registry import BY_TYPE


class _NotJson(Exception):
    """A value has no JSON form that evalplus would read."""


def write_evalplus(
    path: str | os.PathLike[str], entries: Iterable[ExportedTask], card: Card | None = None
) -> Written:
    """Write the file; a suite that was reduced before gives the mini form.

    Raises InputError if the file cannot be written.
    """
    lost: dict[str, int] = {}

    def rows() -> Iterator[Mapping[str, Any]]:
        for entry in entries:
            base, plus = _inputs(entry.base), _inputs(entry.plus)
            if count := len(entry.suite.cases) - len(base) - len(plus):
                lost[entry.task.id] = count
            yield _row(entry, base, plus)

    return Written(write_jsonl(path, rows(), allow_nan=True), lost)


def _row(entry: ExportedTask, base: list[Any], plus: list[Any]) -> dict[str, Any]:
    task = entry.task
    atol = task.extra.get("atol")
    row: dict[str, Any] = {
        "task_id": task.id,
        "prompt": task.prompt,
        "entry_point": task.entry_point,
        "canonical_solution": entry.solution,
        "contract": task.extra.get("contract", ""),
        "base_input": base,
        "plus_input": plus,
        "atol": atol if atol is not None else 0,
    }
    if task.style == "solution":
        row["assertion"] = task.extra.get("assertion", "")
    else:
        row["test"] = check_text(entry)
    return row


def _inputs(cases: Iterable[Case]) -> list[Any]:
    found = []
    for case in cases:
        try:
            form = [_plain(argument) for argument in case.arguments]
            json.dumps(form)
        except (_NotJson, ValueError):
            continue
        found.append(form)
    return found


def _plain(value: Value) -> Any:
    if type(value) in BY_TYPE:
        raise _NotJson
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        items = [_plain(item) for item in value]
        try:
            return sorted(items, key=lambda item: (str(type(item)), item))
        except TypeError:  # lists whose items have no order among each other
            return sorted(items, key=json.dumps)
    if isinstance(value, dict):
        if any(type(key) is not str for key in value):
            raise _NotJson
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, bytes):
        raise _NotJson
    return value
