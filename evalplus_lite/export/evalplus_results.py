"""Results in the form that scripts written for evalplus read: ``*_eval_results.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalplus_lite.store import replacing
from evalplus_lite.types import VerdictName

STATUSES: Mapping[VerdictName, str] = {
    "pass": "pass",
    "fail": "fail",
    "error": "fail",
    "crash": "fail",
    "memory": "fail",
    "unrepresentable": "fail",
    "timeout": "timeout",
}
"""Our verdicts in evalplus' words; ``infra`` has none, as it says nothing about a program."""


def write_results(
    path: Path,
    rows: Iterable[Mapping[str, Any]],
    *,
    dataset_hash: str,
    pass_at_k: Mapping[str, Mapping[str, float]],
    solutions: Mapping[tuple[str, int], str] | None = None,
    date: datetime | None = None,
) -> None:
    """Write result rows as evalplus does: tasks in the order of their first row.

    ``solutions`` holds the programs' texts where they are to stand in the file.
    """
    tasks: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        failed = row.get("failure")
        in_base = row["base"] != "pass"
        shown = [] if failed is None else [failed.get("input")]
        tasks.setdefault(row["task_id"], []).append(
            {
                "task_id": row["task_id"],
                "solution": (solutions or {}).get((row["task_id"], row["index"]), ""),
                "base_status": STATUSES[row["base"]],
                "plus_status": STATUSES[row["plus"]],
                "base_fail_tests": shown if in_base else [],
                "plus_fail_tests": [] if in_base else shown,
            }
        )
    document = {
        "date": (date or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M"),
        "hash": dataset_hash,
        "eval": tasks,
        "pass_at_k": pass_at_k,
    }
    with replacing(path) as file:
        file.write(json.dumps(document, separators=(",", ":")).encode())
