"""Confidence intervals of proportions and means, and the components of their noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, pass_at_k

Z = 1.959964
"""The normal distribution's two-sided 95 % point."""


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``total``; both may be fractional expected values."""

    hits: float
    total: int

    @property
    def value(self) -> float:
        """The share; 1 if the total is 0."""
        return self.hits / self.total if self.total else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval (1927)."""
        return wilson(self.value, self.total)


def wilson(share: float, total: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of ``total``, which may be fractional."""
    if not total:
        return (0.0, 1.0)
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    spread = share * (1 - share) / total + Z * Z / (4 * total * total)
    half = Z / (1 + Z * Z / total) * math.sqrt(spread)
    # The interval includes the share even if rounding would exclude it.
    return (min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def added(shares: Iterable[Share]) -> Share:
    """Return the sum of shares: all hits of all totals."""
    parts = list(shares)
    return Share(sum(share.hits for share in parts), sum(share.total for share in parts))


def chance_of_none(total: int, hits: int, drawn: int) -> float:
    """Return the probability that ``drawn`` of ``total`` random items include no hit.

    If ``drawn`` exceeds ``total``, all are drawn.
    """
    drawn = min(drawn, total)
    return math.comb(total - hits, drawn) / math.comb(total, drawn)


PRIOR_TASKS = 2.0
"""Number of all-or-nothing tasks, or other clusters, added when the spread between them is
estimated; otherwise a few tasks that happen to be alike would imply certainty."""


def mean_interval(values: Sequence[float], *, samples: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of a per-task figure from 0 to 1, such as pass@k.

    Wilson's interval for the effective number of tasks: the number of all-or-nothing tasks with the
    same uncertainty of the mean (Kish's design effect; Franco et al. 2019 compare such intervals
    for clustered surveys). The effective number is at least that of tasks and at most the total of
    ``samples``. With one sample per task this is Wilson's interval. (0, 1) without tasks.

    It covers the population of tasks of this kind. Chosen by simulation over the bootstrap, its
    corrections, and Student's t: docs/measurements/reduction.md.
    """
    return clustered_interval([(value, 1) for value in values], samples=samples)


def clustered_interval(
    clusters: Iterable[tuple[float, int]], *, samples: int | None = None
) -> tuple[float, float]:
    """Return the 95 % interval of a share of clustered items, such as cases of functions.

    Each cluster is its hits (fractional, if items are figures from 0 to 1) and its number of items.
    The interval is Wilson's for the effective number of items, which is between the number of
    clusters (fewer, if a few have most items) and ``samples`` (by default, the number of items).
    (0, 1) without items.
    """
    nonempty = [(hits, total) for hits, total in clusters if total]
    if not nonempty:
        return (0.0, 1.0)
    number, whole = len(nonempty), sum(total for _, total in nonempty)
    share = math.fsum(hits for hits, _ in nonempty) / whole
    squares = sum(total * total for _, total in nonempty)
    spread = math.fsum((hits - share * total) ** 2 for hits, total in nonempty)
    # As if there were a few more clusters of average size, with all hits or none.
    prior = share * (1 - share) * squares / number
    spread = (spread + PRIOR_TASKS * prior) / (number + PRIOR_TASKS) * number
    least, most = whole * whole / squares, whole if samples is None else samples
    effective = whole * whole * share * (1 - share) / spread if spread > 0 else 0.0
    return wilson(share, min(max(effective, least), max(most, least)))


def difference_of_shares(
    first: tuple[float, tuple[float, float]], second: tuple[float, tuple[float, float]]
) -> tuple[float, float]:
    """Return the 95 % interval of first minus second, for shares of different items.

    Each comes with its own interval (Newcombe 1998, method 10; MOVER for any others).
    """
    (one, (low, high)), (other, (least, most)) = first, second
    gap = one - other
    below = math.hypot(one - low, most - other)
    above = math.hypot(high - one, other - least)
    return max(-1.0, gap - below), min(1.0, gap + above)


def intervals(
    counts: Mapping[str, Count], ks: Iterable[int] = DEFAULT_K
) -> dict[str, tuple[float, float]]:
    """Return ``{"pass@k": 95 % interval}`` for the results of ``estimate``."""
    samples = sum(count.total for count in counts.values())
    least = min((count.total for count in counts.values()), default=0)
    return {
        f"pass@{k}": mean_interval(
            [pass_at_k(count.total, count.correct, k) for count in counts.values()], samples=samples
        )
        for k in ks
        if k <= least
    }


@dataclass(frozen=True, slots=True)
class Noise:
    """The components of the uncertainty of a mean pass rate, as variances of a task's pass rate.

    ``within`` is between samples of a task (another draw of samples would give other verdicts),
    ``between`` is between tasks (other tasks would be harder or easier). The estimates are
    unbiased, so ``between`` may be slightly negative. ``samples`` per task is a harmonic mean.
    """

    tasks: int
    samples: float
    within: float
    between: float

    def standard_error(self, samples: float | None = None) -> float:
        """Return the standard error of the mean over tasks with this many samples per task.

        The default is the actual number; ``math.inf`` gives the lower limit for more samples.
        """
        each = self.samples if samples is None else samples
        return math.sqrt(max(0.0, self.between + self.within / each) / self.tasks)


def noise(counts: Mapping[str, Count]) -> Noise | None:
    """Return the components of the variance of a model's pass rate (Wang 2025, arXiv 2512.21326).

    None if it cannot be estimated: fewer than two tasks, or a task with a single sample.
    """
    return _noise([(each,) for each in counts.values()])


def paired_noise(first: Mapping[str, Count], second: Mapping[str, Count]) -> Noise | None:
    """Return the components for the difference of two models on their common tasks.

    ``samples`` is for each of the two. None as for ``noise``.
    """
    return _noise([(first[id], second[id]) for id in first if id in second])


def _noise(tasks: Sequence[tuple[Count, ...]]) -> Noise | None:
    """Return the components of each task's rate, or of the difference of two rates."""
    counts = [each for some in tasks for each in some]
    if len(tasks) < 2 or any(each.total < 2 for each in counts):
        return None

    def rate(count: Count) -> float:
        return count.correct / count.total

    def error(count: Count) -> float:
        """Return the variance of the mean of a task's samples, estimated without bias."""
        return rate(count) * (1 - rate(count)) * count.total / (count.total - 1) / count.total

    # Both sides' samples are independent, so their variances add up.
    errors = [sum(map(error, some)) for some in tasks]
    mean_error = math.fsum(errors) / len(errors)
    gaps = [rate(one) - sum(map(rate, others)) for one, *others in tasks]
    mean = math.fsum(gaps) / len(gaps)
    variance = math.fsum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
    samples = len(counts) / math.fsum(1 / each.total for each in counts)
    return Noise(len(tasks), samples, samples * mean_error, variance - mean_error)
