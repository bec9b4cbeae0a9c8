"""How pass rates go with measures of the code and its runs (figures 5, 8 and 10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evalplus_lite.mining.findings.answers import Material, Place
from evalplus_lite.statistics.trends import (
    LineFit,
    Point,
    RankCorrelation,
    SizeGroup,
    line_fit,
    logarithmic_fit,
    rank_correlation,
    size_groups,
)

GROUPS = 10
LINEAR = frozenset({"maintainability"})
"""Measures that are not counts: no logarithm is taken of them, nor of shares per line."""


def trend_rows(material: Material) -> Iterator[dict[str, Any]]:
    """Yield a row a measure, scope (``all`` cases or ``errors``) and model.

    ``spearman`` is over all of these cases, ``fit`` over the logarithm of the measure where that is
    above 0 (``zero`` counts the others), or over the measure itself (``scale``). What too few
    functions leave no interval for is None. ``groups`` are those of figure 5, of equal width.
    """
    names: dict[str, None] = {}
    for found in material.measures.values():
        names.update(dict.fromkeys(found))
    failing: list[Place] = [place for place in material.answered if place in material.errors]
    scopes: dict[str, Sequence[Place]] = {"all": material.answered, "errors": failing}
    for name in names:
        is_linear = name in LINEAR or name.endswith("per line")
        for scope, places in scopes.items():
            for label, rates in material.rates.items():
                points = material.points(name, rates, places)
                if points:
                    row = {"measure": name, "scope": scope, "model": label,
                           "scale": "linear" if is_linear else "logarithmic"}  # fmt: skip
                    yield row | _trend(points, is_linear=is_linear, grouped=scope == "all")


def _trend(points: list[Point], *, is_linear: bool, grouped: bool) -> dict[str, Any]:
    fit = line_fit(points) if is_linear else logarithmic_fit(points)
    groups = size_groups(points, count=GROUPS, logarithmic=not is_linear) if grouped else []
    return {
        "cases": len(points),
        "functions": len({point.cluster for point in points}),
        "zero": 0 if is_linear else sum(not point.x > 0 for point in points),
        "spearman": _plain(rank_correlation(points)),
        "fit": _plain(fit),
        "groups": [_plain(group) for group in groups],
    }


def _plain(found: LineFit | RankCorrelation | SizeGroup | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(found).items()}
