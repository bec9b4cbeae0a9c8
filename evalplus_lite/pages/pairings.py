"""Models in pairs: the difference between two, whether it is sure, and the tasks that make it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.pages.document import SuitePart
from evalplus_lite.statistics.paired import LEVEL, PairedDifference, holm, paired
from evalplus_lite.statistics.pass_at_k import Count

MOST_PAIRS = 45
"""Pairs that a page shows: those of ten models."""


def pairings(suite: SuitePart, links: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each pair of models with tasks in common, in pass@1.

    A row has the two labels, ``tests`` (a figure for base, and for all tests where there are more)
    and the tasks ``won`` and ``lost`` on all tests: ids with their addresses, of ``links``.
    """
    names = ("base", "plus") if suite["has_plus"] else ("base",)
    counts = {
        name: [_counts(suite, side, which) for side in range(len(suite["entrants"]))]
        for which, name in enumerate(names, 1)
    }
    places = list(itertools.combinations(range(len(suite["entrants"])), 2))
    found = {
        name: [paired(rows[other], rows[one]) for one, other in places]
        for name, rows in counts.items()
    }
    sure = {name: _corrected(rows) for name, rows in found.items()}
    addresses = {row["id"]: link for row, link in zip(suite["tasks"], links, strict=True)}
    return [
        {
            "first": suite["entrants"][one]["label"],
            "second": suite["entrants"][other]["label"],
            "tests": [
                _row(name, each, sure[name][n])
                for name in names
                if (each := found[name][n]) is not None
            ],
            **_decided(counts[names[-1]][one], counts[names[-1]][other], addresses),
        }
        for n, (one, other) in enumerate(places[:MOST_PAIRS])
        if found[names[-1]][n] is not None
    ]


def _counts(suite: SuitePart, side: int, which: int) -> dict[str, Count]:
    return {
        row["id"]: Count(each[0], each[which])
        for row in suite["tasks"]
        if (each := row["counts"][side]) is not None and each[0]
    }


def _corrected(rows: Sequence[PairedDifference | None]) -> list[float]:
    """Return the p of each pair after Holm over all pairs; 1 where there is none."""
    known = iter(holm([each.p for each in rows if each is not None]))
    return [1.0 if each is None else next(known) for each in rows]


def _row(name: str, each: PairedDifference, p: float) -> dict[str, Any]:
    low, high = (100 * end for end in each.interval)
    return {
        "name": name,
        "difference": f"{100 * each.difference:+.1f}",
        "ends": f"[{low:+.1f}, {high:+.1f}]",
        "p": "<0.001" if p < 0.001 else f"{p:.3f}",
        "visible": "–" if each.visible is None else f"{100 * each.visible:.1f}",
        "is_sure": p < LEVEL,
    }


def _decided(
    first: Mapping[str, Count], second: Mapping[str, Count], addresses: Mapping[str, str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the tasks that the second solves more often, and those that it solves less often."""
    return {
        key: [(id, addresses[id]) for id in _better(*sides)]
        for key, sides in (("won", (second, first)), ("lost", (first, second)))
    }


def _better(one: Mapping[str, Count], other: Mapping[str, Count]) -> Iterator[str]:
    for id in one:
        if id in other and one[id].correct * other[id].total > other[id].correct * one[id].total:
            yield id
