"""Confidence intervals of proportions and means, and the noise that more samples would remove."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, pass_at_k

# Proportions with confidence intervals, and their values under random choice.

Z = 1.959964
"""The normal distribution's two-sided 95 % point."""


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``total``; fractional where chance decides."""

    hits: float
    total: int

    @property
    def value(self) -> float:
        """The share; 1 where there was nothing to hit."""
        return self.hits / self.total if self.total else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval (1927)."""
        return wilson(self.value, self.total)


def wilson(share: float, total: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of ``total``, which may be a fraction."""
    if not total:
        return (0.0, 1.0)
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    spread = share * (1 - share) / total + Z * Z / (4 * total * total)
    half = Z / (1 + Z * Z / total) * math.sqrt(spread)
    # The interval includes the share even where rounding would exclude it.
    return (min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def added(shares: Iterable[Share]) -> Share:
    """Return the hits of all of their totals."""
    parts = list(shares)
    return Share(sum(share.hits for share in parts), sum(share.total for share in parts))


def chance_of_none(total: int, hits: int, drawn: int) -> float:
    """Return the chance that ``drawn`` of ``total`` things, drawn at random, hold no hit.

    With more drawn than there are, all are.
    """
    drawn = min(drawn, total)
    return math.comb(total - hits, drawn) / math.comb(total, drawn)


PRIOR_TASKS = 2.0
"""Tasks, or other clusters, that are counted in as all-or-nothing when the spread between them is
estimated: without them a handful of tasks that happen to be alike would pass for certainty."""


def mean_interval(values: Sequence[float], *, samples: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of a figure from 0 to 1 a task, such as pass@k.

    Wilson's interval for the effective number of tasks: the number of all-or-nothing tasks with the
    same uncertainty of the mean (Kish's design effect; Franco et al. 2019 compare such intervals
    for clustered surveys). ``samples`` is their total: the effective number is at most that, and at
    least the number of tasks. With one sample a task it is Wilson's interval. (0, 1) without tasks.

    It covers the population of tasks of this kind. Chosen by simulation over the bootstrap, its
    corrections, and Student's t: docs/measurements/reduction.md.
    """
    return clustered_interval([(value, 1) for value in values], samples=samples)


def clustered_interval(
    clusters: Iterable[tuple[float, int]], *, samples: int | None = None
) -> tuple[float, float]:
    """Return the 95 % interval of a share of items that come in clusters: cases of functions.

    Each cluster is its hits (a fraction, where items are figures from 0 to 1) and its number of
    items. The interval is Wilson's for the effective number of items, which lies between that of
    the clusters (fewer, if a few hold most items) and ``samples`` (by default, of the items).
    (0, 1) for no item.
    """
    nonempty = [(hits, total) for hits, total in clusters if total]
    if not nonempty:
        return (0.0, 1.0)
    number, whole = len(nonempty), sum(total for _, total in nonempty)
    share = math.fsum(hits for hits, _ in nonempty) / whole
    squares = sum(total * total for _, total in nonempty)
    spread = math.fsum((hits - share * total) ** 2 for hits, total in nonempty)
    # As if some clusters more, of the usual size, had been all hits or none.
    prior = share * (1 - share) * squares / number
    spread = (spread + PRIOR_TASKS * prior) / (number + PRIOR_TASKS) * number
    least, most = whole * whole / squares, whole if samples is None else samples
    effective = whole * whole * share * (1 - share) / spread if spread > 0 else 0.0
    return wilson(share, min(max(effective, least), max(most, least)))


def difference_of_shares(
    first: tuple[float, tuple[float, float]], second: tuple[float, tuple[float, float]]
) -> tuple[float, float]:
    """Return the 95 % interval of first minus second, of shares of different items.

    Each is given with its own interval (Newcombe 1998, method 10; MOVER for any others).
    """
    (one, (low, high)), (other, (least, most)) = first, second
    gap = one - other
    below = math.hypot(one - low, most - other)
    above = math.hypot(high - one, other - least)
    return max(-1.0, gap - below), min(1.0, gap + above)


def intervals(
    counts: Mapping[str, Count], ks: Iterable[int] = DEFAULT_K
) -> dict[str, tuple[float, float]]:
    """Return ``{"pass@k": 95 % interval}`` of what ``estimate`` estimates."""
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
    """The sources of uncertainty of a mean pass rate, as variances of one task's pass rate.

    ``within`` is between samples of a task (another draw of samples would give other verdicts),
    ``between`` is between tasks (other tasks would be harder or easier). Unbiased estimates, so
    ``between`` may be slightly negative. ``samples`` is the (harmonic) mean of samples a task.
    """

    tasks: int
    samples: float
    within: float
    between: float

    def standard_error(self, samples: float | None = None) -> float:
        """Return the standard error of the mean over tasks with this many samples a task.

        The default is the actual number; ``math.inf`` gives the lower limit for more samples.
        """
        each = self.samples if samples is None else samples
        return math.sqrt(max(0.0, self.between + self.within / each) / self.tasks)


def noise(counts: Mapping[str, Count]) -> Noise | None:
    """Return the split of the variance of a model's pass rate (Wang 2025, arXiv 2512.21326).

    None if it cannot be estimated: fewer than two tasks, or a task with a single sample.
    """
    tasks = list(counts.values())
    if len(tasks) < 2 or any(each.total < 2 for each in tasks):
        return None
    return _split([_rate(each) for each in tasks], [_within(each) for each in tasks], tasks)


def paired_noise(first: Mapping[str, Count], second: Mapping[str, Count]) -> Noise | None:
    """Return the split for the difference of two models on the tasks that both have.

    ``samples`` counts those of each of the two. None as for ``noise``.
    """
    both = [(first[id], second[id]) for id in first if id in second]
    if len(both) < 2 or any(each.total < 2 for pair in both for each in pair):
        return None
    gaps = [_rate(one) - _rate(other) for one, other in both]
    counts = [each for pair in both for each in pair]
    mean = _harmonic(counts)
    # Each side's samples draw by themselves: their variances add up.
    errors = [_within(one) / one.total + _within(other) / other.total for one, other in both]
    within = mean * math.fsum(errors) / len(errors)
    between = _variance(gaps) - math.fsum(errors) / len(errors)
    return Noise(len(both), mean, within, between)


def _split(rates: Sequence[float], withins: Sequence[float], counts: Sequence[Count]) -> Noise:
    errors = [within / count.total for within, count in zip(withins, counts, strict=True)]
    error = math.fsum(errors) / len(errors)
    mean = _harmonic(counts)
    return Noise(len(rates), mean, mean * error, _variance(rates) - error)


def _rate(count: Count) -> float:
    return count.correct / count.total


def _within(count: Count) -> float:
    """Return the variance between a task's samples, without bias."""
    rate = _rate(count)
    return rate * (1 - rate) * count.total / (count.total - 1)


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _harmonic(counts: Iterable[Count]) -> float:
    inverses = [1 / each.total for each in counts]
    return len(inverses) / math.fsum(inverses)
