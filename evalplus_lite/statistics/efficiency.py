"""Statistics of efficiency: eff@k, DPS, and the growth of work with size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import comb
from statistics import median
from typing import Any, TypeAlias

from evalplus_lite.statistics.paired import holm, mcnemar

ALPHA = 2.0
"""A program that does this many times the reference's work scores 0 (ENAMEL, arXiv 2406.06647)."""
WEIGHTS = (3.0, 3.0, 4.0)
"""Weights of ENAMEL's levels, the hardest last; more levels repeat the last weight."""


def score(units: Sequence[Sequence[int | None]], reference: Sequence[Sequence[int]]) -> float:
    """Return a program's score: about 1 for the reference's work, 0 for ``ALPHA`` times as much.

    Each level has a sequence of units on its inputs. Each level compares the costliest inputs of
    both, with a common limit: ``ALPHA`` times the reference's most work on any input. The score is
    the weighted mean over levels; from the first late (None) or missing one on, levels count 0, as
    in ENAMEL. It exceeds 1 for less work than the reference's.
    """
    limit = ALPHA * max(map(max, reference))
    weights = [WEIGHTS[min(place, len(WEIGHTS) - 1)] for place in range(len(reference))]
    total = 0.0
    for weight, level, theirs in zip(weights, units, reference, strict=False):
        complete = [each for each in level if each is not None]
        if len(complete) < len(level):
            break
        total += weight * max(0.0, limit - max(complete)) / (limit - max(theirs))
    return total / sum(weights)


def eff_at_k(scores: Sequence[float], k: int) -> float:
    """Return the unbiased estimate of the best score among k samples (ENAMEL, section 2.3).

    It is the mean maximum over all subsets of size k. Raises ValueError unless 1 <= k <= n.
    """
    n = len(scores)
    if not 1 <= k <= n:
        raise ValueError(f"eff@{k} is undefined for {n} samples")
    ordered = sorted(scores)
    total = comb(n, k)
    return math.fsum(comb(rank - 1, k - 1) / total * ordered[rank - 1] for rank in range(k, n + 1))


TIE = 1.2
"""Amounts of work within 20 % count as equal, because the weights are not more precise."""


def dps(units: float, pool: Sequence[float]) -> tuple[float, float]:
    """Return (DPS, DPS_norm) of a right program against a pool of right ones, both in percent.

    DPS is the share of the pool that does at least as much work; DPS_norm counts each distinct
    amount of work once (EvalPerf, arXiv 2408.06450). Equal work has equal rank.
    """
    distinct: list[float] = []
    for each in sorted(pool):
        if not distinct or each > TIE * distinct[-1]:
            distinct.append(each)
    share, normal = (
        sum(TIE * each >= units for each in some) / len(some) for some in (pool, distinct)
    )
    return 100 * share, 100 * normal


def pairs_of(works: Mapping[str, Mapping[str, Sequence[float]]]) -> list[dict[str, Any]]:
    """Compare each pair of models by median work, on the ``tasks`` that both solve.

    ``works``: of right programs, by model and task. The first model does less work on ``less``
    tasks and more on ``more``; amounts within ``TIE`` are equal. ``ratio`` is the geometric mean of
    first over second, None if both are finite on no task. ``p`` is McNemar's, Holm-adjusted.
    """
    rows: list[dict[str, Any]] = []
    for first, second in combinations(works, 2):
        both = [
            (median(some), median(works[second][task]))
            for task, some in works[first].items()
            if task in works[second]
        ]
        less, more = (sum(TIE * a < b for a, b in side) for side in (both, [p[::-1] for p in both]))
        logs = [math.log(a / b) for a, b in both if 0 < a < math.inf and 0 < b < math.inf]
        ratio = math.exp(math.fsum(logs) / len(logs)) if logs else None
        row = {"first": first, "second": second, "tasks": len(both), "less": less, "more": more}
        rows.append({**row, "ratio": ratio, "p": mcnemar(less, more)})
    adjusted = holm([row["p"] for row in rows])
    return [{**row, "p": p} for row, p in zip(rows, adjusted, strict=True)]


WIDTH = 0.3
"""Tolerance between an exponent and its class, which allows for logarithms."""
NARROW = 0.08
CLASSES = (
    (0.5, "square-root", NARROW),
    *((float(power), name, WIDTH)
      for power, name in enumerate(("constant", "linear", "quadratic", "cubic"))),
)  # fmt: skip
RANKS = {name: exponent for exponent, name, _ in CLASSES} | {"exponential": math.inf}


Growth: TypeAlias = dict[str, Any]
"""Work as a power of size: ``exponent``, ``low`` and ``high`` of the last ones, and a class.

The class, ``name``, is ``undecided`` if the exponents differ too much or fit no class.
"""


def slower(one: Growth, others: Sequence[Growth]) -> bool | None:
    """Return whether work is in a higher class than the lowest; None if its class is undecided.

    Its interval must also be above that of a program in the lowest class: programs with
    overlapping intervals are not considered different.
    """
    ranks = [(RANKS[each["name"]], each["high"]) for each in others if each["name"] in RANKS]
    if one["name"] not in RANKS:
        return None
    lowest = min(ranks)[0]
    is_above = any(one["low"] > high for rank, high in ranks if rank == lowest)
    return RANKS[one["name"]] > lowest and is_above


def growth(sizes: Sequence[int], units: Sequence[float]) -> Growth | None:
    """Return how work grows with size; None for fewer than three sizes.

    Work is that of a level's costliest input. The local exponents between neighboring sizes are
    exact, as work is counted; the last one decides, because constant work disturbs it least.
    """
    if len(sizes) < 3 or min(units) <= 0:
        return None
    steps = [
        math.log(more / less) / math.log(large / small)
        for (small, large), (less, more) in zip(pairwise(sizes), pairwise(units), strict=True)
    ]
    last, low, high = steps[-1], min(steps[-2:]), max(steps[-2:])
    # Constant work in addition to growing work lowers the exponents at small sizes.
    limit = last + max(0.0, last - steps[-2])
    name = "undecided"
    for exponent, each, width in reversed(CLASSES):
        is_near = abs(limit - exponent) <= width or abs(last - exponent) <= width / 2
        if is_near and high - low <= max(width, WIDTH / 2):
            name = each
    if all(later > earlier + 0.5 for earlier, later in pairwise(steps)) and last > 3.5:
        name = "exponential"
    return {"exponent": last, "low": low, "high": high, "name": name}
