"""Results in the form that scripts written for evalplus read: ``*_eval_results.json``."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Hashable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalplus_lite.store import replacing
from evalplus_lite.store.writing import reporting
from evalplus_lite.types import VerdictName

# Our verdicts in evalplus' words; ``infra`` has none, as it says nothing about a program.
STATUSES: Mapping[VerdictName, str] = {
    "pass": "pass",
    "fail": "fail",
    "error": "fail",
    "crash": "fail",
    "memory": "fail",
    "unrepresentable": "fail",
    "timeout": "timeout",
}


def write_results(
    folder: Path,
    files: Mapping[Hashable, tuple[str, Mapping[str, Mapping[str, float]]]],
    rows: Iterable[tuple[Hashable, Mapping[str, Any]]],
    *,
    dataset_hash: str,
    solutions: Mapping[str, str] | None = None,
    date: datetime | None = None,
) -> None:
    """Write result rows as evalplus does, to several files at once: tasks by their first row.

    ``files`` has the name and the pass@k of the file of each group; each row comes with its group,
    and is passed over if that has no file. ``solutions`` holds the programs' texts by hash, if they
    are to be in the files.
    """
    # Offset and length of each row, as all rows may be many.
    places: dict[Hashable, dict[str, array[int]]] = {group: {} for group in files}
    end = 0
    with reporting(folder), tempfile.TemporaryFile(dir=folder) as texts:
        for group, row in rows:
            if group not in files:
                continue
            text = _dumped(_result(row, solutions or {}))
            places[group].setdefault(row["task_id"], array("Q")).extend((end, len(text)))
            texts.write(text)
            end += len(text)
        head = {
            "date": (date or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M"),
            "hash": dataset_hash,
        }
        for group, (name, pass_at_k) in files.items():
            with replacing(folder / name) as file:
                file.write(_dumped(head)[:-1] + b',"eval":{')
                for number, (task, spans) in enumerate(places[group].items()):
                    file.write((b"," if number else b"") + _dumped(task) + b":[")
                    for place in range(0, len(spans), 2):
                        texts.seek(spans[place])
                        file.write((b"," if place else b"") + texts.read(spans[place + 1]))
                    file.write(b"]")
                file.write(b'},"pass_at_k":' + _dumped(pass_at_k) + b"}")


def _result(row: Mapping[str, Any], solutions: Mapping[str, str]) -> dict[str, Any]:
    failed = row.get("failure")
    in_base = row["base"] != "pass"
    shown = [] if failed is None else [failed.get("input")]
    return {
        "task_id": row["task_id"],
        "solution": solutions.get(row["program"], ""),
        "base_status": STATUSES[row["base"]],
        "plus_status": None if row["plus"] is None else STATUSES[row["plus"]],  # as evalplus does
        "base_fail_tests": shown if in_base else [],
        "plus_fail_tests": [] if in_base else shown,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
