"""What the rows and summaries of evaluate must hold to be read; files may have been edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FAILURES = ("failure", "smallest", "stress_failure")


def is_result(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of results.jsonl (docs/reference/formats.md)."""
    texts = ("task_id", "program", "base")
    return (
        all(type(row.get(key)) is str for key in texts)
        and type(row.get("index")) is int
        and "plus" in row
        and all(type(row.get(key)) in (str, type(None)) for key in ("plus", "model", "stress"))
        and type(row.get("temperature")) in (int, float, type(None))
        and type(row.get("details", [])) is list
        and all(_is_failure(row[key]) for key in FAILURES if key in row)
    )


def _is_failure(row: Any) -> bool:
    return (
        type(row) is dict
        and type(row.get("verdict")) is str
        and type(row.get("detail")) is str
        and type(row.get("case", 0)) is int
        and type(row.get("line")) in (int, type(None))
        and ("actual" not in row or "expected" in row)
    )


def is_cost(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of costs.jsonl; of what was not measured it is empty."""
    number = (int, float, type(None))
    return type(row.get("cpu")) in number and type(row.get("memory")) in number


def is_program(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of programs.jsonl.gz."""
    return type(row.get("program")) is str and type(row.get("solution")) is str


def is_summary(summary: Mapping[str, Any]) -> bool:
    """Return whether this is a summary of evaluate."""
    run, groups = summary.get("run"), summary.get("groups")
    return (
        type(run) is dict
        and type(run.get("data")) is dict
        and "content" in run["data"]
        and type(groups) is list
        and all(type(each) is dict for each in groups)
        and type(summary.get("dataset")) is str
        and "plus" in summary
    )
