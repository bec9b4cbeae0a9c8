"""Results in the form that scripts written for evalplus read: ``*_eval_results.json``."""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Hashable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalplus_lite.store import replacing
from evalplus_lite.store.sorting import Sorter
from evalplus_lite.store.writing import reporting
from evalplus_lite.types import VerdictName

# Our verdicts in evalplus' words; ``infra`` has none, as it does not concern a program.
STATUSES: Mapping[VerdictName, str] = {
    "pass": "pass",
    "fail": "fail",
    "error": "fail",
    "crash": "fail",
    "memory": "fail",
    "unrepresentable": "fail",
    "timeout": "timeout",
}

_PLACE = struct.Struct(">IIQQ")
"""For a row: the numbers of its group and task, the position of its text, and its length."""


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
    numbers: dict[Hashable, int] = {group: number for number, group in enumerate(files)}
    tasks = [dict[str, int]() for _ in files]
    order, end = Sorter(_PLACE.size), 0
    with reporting(folder), tempfile.TemporaryFile(dir=folder) as texts:
        for group, row in rows:
            number = numbers.get(group)
            if number is None:
                continue
            text = _dumped(_result(row, solutions or {}))
            task = tasks[number].setdefault(row["task_id"], len(tasks[number]))
            order.add(_PLACE.pack(number, task, end, len(text)))
            texts.write(text)
            end += len(text)
        head = {
            "date": (date or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M"),
            "hash": dataset_hash,
        }
        places = map(_PLACE.unpack, order)
        place = next(places, None)
        for number, (name, pass_at_k) in enumerate(files.values()):
            with replacing(folder / name) as file:
                file.write(_dumped(head)[:-1] + b',"eval":{')
                for index, id in enumerate(tasks[number]):
                    file.write((b"," if index else b"") + _dumped(id) + b":[")
                    before = b""
                    while place is not None and place[:2] == (number, index):
                        texts.seek(place[2])
                        file.write(before + texts.read(place[3]))
                        place, before = next(places, None), b","
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
