"""The same programs judged twice: which verdicts changed, and the cases that decided."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from evalplus_lite.outputs.evaluation import Entrant

MOST_SHOWN = 200
"""Changes of a pair that are kept with their cases; all are counted."""
KEYS = ("task_id", "index", "program")


def changes(first: Entrant, second: Entrant, tasks: Collection[str]) -> dict[str, Any] | None:
    """Return what changed between two judgements of the same samples; None if they are not.

    They are if both have the same programs of these tasks in the same order, as ``evaluate`` writes
    those of one file. Rows are read beside each other: nothing of them is held but what changed.
    """
    if first.evaluation.folder == second.evaluation.folder:
        return None
    counts: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    samples = 0
    for was, now in itertools.zip_longest(_rows(first, tasks), _rows(second, tasks)):
        if was is None or now is None or any(was[key] != now[key] for key in KEYS):
            return None
        samples += 1
        before, after = _verdicts(was), _verdicts(now)
        if before == after:
            continue
        counts[f"{before[-1]} -> {after[-1]}"] += 1
        if len(shown) < MOST_SHOWN:
            shown.append(_change(was, now))
    return {"samples": samples, "changed": sum(counts.values()),
            "counts": dict(sorted(counts.items())), "shown": shown}  # fmt: skip


def _rows(entrant: Entrant, tasks: Collection[str]) -> Iterator[dict[str, Any]]:
    return (
        row for row in entrant.evaluation.rows() if row["task_id"] in tasks and entrant.is_of(row)
    )


def _verdicts(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the verdicts on the base cases, and on all; the same if there are no others."""
    return row["base"], row["plus"] or row["base"]


def _change(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change: both verdicts, and each side's failure, which is the case that decided."""
    return {
        **{key: was[key] for key in KEYS},
        "first": _side(was),
        "second": _side(now),
    }


def _side(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {"base": row["base"], "plus": row["plus"]}
    failure = row.get("smallest") or row.get("failure")
    return found | ({"failure": failure} if failure else {})
