"""Results as flat rows: what pandas and polars read, and what files of other formats hold."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.errors import CodecError, shown_path
from evalplus_lite.outputs.evaluation import Cost, Evaluation, read_evaluations
from evalplus_lite.values.codec import from_json
from evalplus_lite.values.source import literal

RESULT_COLUMNS: Mapping[str, type[str] | type[int] | type[float] | type[bool]] = {
    "folder": str,
    "dataset": str,
    "model": str,
    "temperature": float,
    "task_id": str,
    "index": int,
    "program": str,
    "passed": bool,
    "base": str,
    "plus": str,
    "stress": str,
    "case": int,
    "verdict": str,
    "detail": str,
    "line": int,
    "input": str,
    "expected": str,
    "actual": str,
    "smallest_input": str,
    "smallest_expected": str,
    "smallest_actual": str,
    "cpu": float,
    "memory": int,
}
"""The keys of a row of ``read_results``, in their order, and the type of each one's values."""
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def read_results(paths: Paths) -> Iterator[dict[str, Any]]:
    """Yield the results of ``evaluate`` in a folder, or in several, as flat rows, one in memory.

        frame = pandas.DataFrame(read_results("out/my-model"), columns=RESULT_COLUMNS)
        frame = polars.DataFrame(read_results(["out/a", "out/b"]), schema=RESULT_COLUMNS)

    Every row has the keys of ``RESULT_COLUMNS``, each with a value of its type, never None: a text
    that there is none of is empty (``plus`` without plus cases, ``actual`` where nothing was
    returned), a temperature or time that is not known is nan, ``memory`` (bytes) and ``line`` 0,
    and ``case`` -1 for a program that passed. ``model`` is the name in the row, or that of the
    file of samples or of the folder. ``case``, ``verdict``, ``detail`` and ``line`` are about the
    case that decided, ``input``, ``expected`` and ``actual`` its values as Python source;
    ``smallest_...`` are those of the smallest input that ``--minimize`` found. ``cpu`` (seconds)
    and ``memory`` were measured. Lone surrogates are written as escapes, so that any file can
    hold the row.

    Raises InputError at once for a path without results of ``evaluate``, and while it reads for a
    row that is damaged.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return result_rows(read_evaluations(given))


def result_rows(evaluations: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    """Yield the flat rows of these evaluations."""
    for each in evaluations:
        for row, cost in each.measured():
            yield flat(each, row, cost)


def flat(evaluation: Evaluation, row: Mapping[str, Any], cost: Cost) -> dict[str, Any]:
    """Return a result row as ``read_results`` gives it."""
    heat, plus = row.get("temperature"), row["plus"]
    found = {
        "folder": shown_path(evaluation.folder),
        "dataset": evaluation.dataset,
        "model": row.get("model") or evaluation.label,
        "temperature": math.nan if heat is None else float(heat),
        "task_id": row["task_id"],
        "index": row["index"],
        "program": row["program"],
        "passed": row["base"] == "pass" and plus in ("pass", None),
        "base": row["base"],
        "plus": plus or "",
        "stress": row.get("stress") or "",
        **_failure(row.get("failure", {})),
        **_values(row.get("smallest", {}), "smallest_"),
        "cpu": math.nan if cost.cpu is None else cost.cpu,
        "memory": cost.memory or 0,
    }
    return {key: _plain(each) if type(each) is str else each for key, each in found.items()}


def _failure(failure: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "case": failure.get("case", -1),
        "verdict": failure.get("verdict", ""),
        "detail": failure.get("detail", ""),
        "line": failure.get("line") or 0,
        **_values(failure),
    }


def _values(failure: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    return {
        f"{prefix}{key}": source(failure[key]) if key in failure else ""
        for key in ("input", "expected", "actual")
    }


def source(tree: Any) -> str:
    """Return a value of a result row as Python source; what the row shortened stays a text."""
    if type(tree) is dict and len(tree) == 1:
        ((key, text),) = tree.items()
        if key in ("$shortened", "$unreadable"):
            return str(text) if key == "$shortened" else f"a value that cannot be read ({text})"
    try:
        return literal(from_json(tree), quote=repr)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def _plain(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
