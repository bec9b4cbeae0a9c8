"""A pair of entrants: what the second does better or worse on the tasks of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.outputs.evaluation import Entrant
from evalplus_lite.pipelines.changes import changes
from evalplus_lite.statistics.means import paired_noise
from evalplus_lite.statistics.paired import PairedDifference, paired
from evalplus_lite.statistics.pass_at_k import Count


def pair_row(
    first: Entrant,
    second: Entrant,
    counts: Mapping[str, tuple[Mapping[str, Count], Mapping[str, Count]]],
    k: int,
) -> dict[str, Any]:
    """Return what a pair's row says: the second less the first."""
    both = [id for id in first.counts if id in second.counts]
    if not both:
        raise InputError(
            f"{first.label} and {second.label} have no judged task in common",
            remedy="compare those that were judged on the same tasks",
        )
    found: dict[str, Any] = {
        "first": first.label,
        "second": second.label,
        "tasks": len(both),
        "only_first": _sorted(id for id in first.counts if id not in second.counts),
        "only_second": _sorted(id for id in second.counts if id not in first.counts),
        "base": None,
        "plus": None,
    }
    for suite, (before, after) in counts.items():
        # The second's gain: what is won is what it solves more often.
        difference = paired(after, before, k=k)
        assert difference is not None, "there are tasks of both"
        found[suite] = {
            **_difference(difference),
            "noise": _noise(before, after) if k == 1 else None,
            "tasks_won": _sorted(id for id in both if _rate(after[id]) > _rate(before[id])),
            "tasks_lost": _sorted(id for id in both if _rate(after[id]) < _rate(before[id])),
        }
    return found | {"changes": changes(first, second, set(both))}


def _difference(found: PairedDifference) -> dict[str, Any]:
    return {
        "difference": found.difference,
        "interval": list(found.interval),
        "p": found.p,
        "p_holm": found.p,
        "visible": found.visible,
    }


def _noise(first: Mapping[str, Count], second: Mapping[str, Count]) -> dict[str, float] | None:
    """Return the standard error of a difference, and what of it more samples would leave."""
    found = paired_noise(first, second)
    if found is None:
        return None
    return {
        "samples": found.samples,
        "standard_error": found.standard_error(),
        "standard_error_of_tasks": found.standard_error(float("inf")),
    }


def _sorted(ids: Iterable[str]) -> list[str]:
    """Return ids in an order that does not hang on that of the samples; numbers by their value."""
    return sorted(ids, key=lambda id: [(len(part), part) for part in re.split(r"(\d+)", id)])


def _rate(count: Count) -> float:
    return count.correct / count.total
