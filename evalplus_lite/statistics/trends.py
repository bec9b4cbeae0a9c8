"""Relations between a figure and a measure: linear fits, rank correlation, size groups.

Points are clustered (cases of one function); all intervals account for correlation in clusters.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import NormalDist, fmean

from evalplus_lite.statistics.means import clustered_interval

LEAST_CLUSTERS = 4
"""Minimum number of clusters for a meaningful interval of a trend."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Observation:
    """A case: its cluster, the measure ``x``, and the figure ``y`` from 0 to 1."""

    cluster: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class LineFit:
    """The least-squares line ``y = intercept + slope * x``, and the slope's 95 % interval."""

    intercept: float
    slope: float
    interval: Interval
    points: int
    clusters: int


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's coefficient with its 95 % interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class SizeGroup:
    """Points with ``low <= x <= high``, around ``middle``: mean and variance of their figures.

    ``interval`` is the mean's 95 % interval.
    """

    low: float
    high: float
    middle: float
    points: int
    clusters: int
    mean: float
    variance: float
    interval: Interval


def line_fit(points: Sequence[Observation]) -> LineFit | None:
    """Return the line through points; None for too few clusters or a single ``x``.

    The interval uses the cluster-robust variance (Liang and Zeger 1986, with the usual correction
    for few clusters) and Student's t, with one degree of freedom less than clusters.
    """
    sums = _clusters(points)
    if len(sums) < LEAST_CLUSTERS or len({point.x for point in points}) < 2:
        return None
    count = len(points)
    middle = fmean(point.x for point in points)
    mean = fmean(point.y for point in points)
    spread = math.fsum((point.x - middle) ** 2 for point in points)
    if not spread > 0:
        return None
    slope = math.fsum((p.x - middle) * (p.y - mean) for p in points) / spread
    # Each cluster's influence on the slope: its residuals, weighted by their distance.
    moves = [
        math.fsum((p.x - middle) * (p.y - mean - slope * (p.x - middle)) for p in some)
        for some in sums
    ]
    correction = len(sums) / (len(sums) - 1) * (count - 1) / (count - 2)
    error = math.sqrt(math.fsum(each * each for each in moves) * correction) / spread
    reach = student(len(sums) - 1) * error
    return LineFit(mean - slope * middle, slope, (slope - reach, slope + reach), count, len(sums))


def logarithmic_fit(points: Iterable[Observation]) -> LineFit | None:
    """Return the line over ``log10(x)``: its slope is the change for a tenfold x.

    Points with x <= 0 have no logarithm and are left out.
    """
    return line_fit([Observation(p.cluster, math.log10(p.x), p.y) for p in points if p.x > 0])


def rank_correlation(points: Sequence[Observation]) -> RankCorrelation | None:
    """Return Spearman's coefficient; None for too few clusters, or if x or y is constant.

    Equal values share their mean rank. The interval uses Fisher's transformation, with an error
    from the clusters' influence on the correlation of the ranks.
    """
    sums = {point.cluster for point in points}
    if len(sums) < LEAST_CLUSTERS:
        return None
    across, upward = (_standard(_ranks(v)) for v in ([p.x for p in points], [p.y for p in points]))
    if not across or not upward:
        return None
    count = len(points)
    value = math.fsum(a * b for a, b in zip(across, upward, strict=True)) / count
    value = max(-1.0, min(1.0, value))
    moves: dict[str, float] = defaultdict(float)
    for point, a, b in zip(points, across, upward, strict=True):
        moves[point.cluster] += a * b - value * (a * a + b * b) / 2
    number = len(sums)
    error = math.sqrt(math.fsum(m * m for m in moves.values()) * number / (number - 1)) / count
    if abs(value) > 1 - 1e-12:
        return RankCorrelation(value, (value, value))
    reach = student(number - 1) * error / (1 - value * value)
    middle = math.atanh(value)
    return RankCorrelation(value, (math.tanh(middle - reach), math.tanh(middle + reach)))


def size_groups(points: Sequence[Observation], *, count: int, logarithmic: bool) -> list[SizeGroup]:
    """Divide the points into up to ``count`` groups of equal width in x, or in its logarithm.

    Empty groups are left out, as are points with x <= 0 on a logarithmic scale.
    """
    usable = [point for point in points if point.x > 0] if logarithmic else list(points)
    if not usable:
        return []
    scale = math.log10 if logarithmic else float
    least, most = (scale(end(point.x for point in usable)) for end in (min, max))
    width = (most - least) / count

    def group(point: Observation) -> int:
        return min(count - 1, int((scale(point.x) - least) / width)) if width > 0 else 0

    usable.sort(key=lambda point: (group(point), point.x, point.cluster))
    return [_group(list(some), logarithmic) for _, some in groupby(usable, key=group)]


def _group(points: Sequence[Observation], logarithmic: bool) -> SizeGroup:
    clusters = _clusters(points)
    sums = [(math.fsum(point.y for point in some), len(some)) for some in clusters]
    xs = [point.x for point in points]
    mean = fmean(point.y for point in points)
    return SizeGroup(
        low=xs[0],
        high=xs[-1],
        middle=10 ** fmean(map(math.log10, xs)) if logarithmic else fmean(xs),
        points=len(points),
        clusters=len(clusters),
        mean=mean,
        variance=fmean((point.y - mean) ** 2 for point in points),
        interval=clustered_interval(sums),
    )


def _clusters(points: Iterable[Observation]) -> list[list[Observation]]:
    clusters: dict[str, list[Observation]] = defaultdict(list)
    for point in points:
        clusters[point.cluster].append(point)
    return list(clusters.values())


def _ranks(values: Sequence[float]) -> list[float]:
    """Return each value's rank, from 1; equal values share the mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    before = 0
    for _, places in groupby(order, key=values.__getitem__):
        some = list(places)
        for place in some:
            ranks[place] = before + (len(some) + 1) / 2
        before += len(some)
    return ranks


def _standard(values: Sequence[float]) -> list[float]:
    """Return standardized values; an empty list if all are equal."""
    mean = fmean(values)
    deviation = math.sqrt(fmean((value - mean) ** 2 for value in values))
    return [(value - mean) / deviation for value in values] if deviation > 0 else []


def student(freedom: int) -> float:
    """Return the two-sided 95 % point of Student's t for 3 or more degrees of freedom.

    Uses the Cornish-Fisher series, accurate to 3 digits there (Abramowitz and Stegun 26.7.5).
    """
    z, n = NormalDist().inv_cdf(0.975), freedom
    series = (
        (z**3 + z) / (4 * n),
        (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2),
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3),
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4),
    )
    return z + math.fsum(series)
