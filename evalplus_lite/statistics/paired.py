"""Two models, or two runs, on the same tasks: the difference, and whether chance would do it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from evalplus_lite.statistics.means import Z
from evalplus_lite.statistics.pass_at_k import Count, exact_pass_at_k

POWER, LEVEL = 0.8, 0.05
"""The power of detecting a difference, and the significance level."""
MOST_BITS = 1 << 25
"""Bits of the integer that counts the sums of all sign changes; beyond it, steps get coarser."""
COARSE = 200
"""If differences would have fewer steps a task than this, and not exactly, the sum of sign changes
is taken to be normal instead of counted: there are very many of them."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The paired difference between two model runs on the tasks that both were judged on.

    ``difference`` is the mean over tasks of first minus second, from -1 to 1, and ``interval`` its
    95 % interval. ``p`` is the probability of a difference at least as large, either way, if the
    two were alike. ``visible`` is the minimum detectable effect at 80 % power; None if the two
    differ nowhere, since the variance is unknown then.
    """

    difference: float
    interval: tuple[float, float]
    p: float
    visible: float | None


def paired(
    first: Mapping[str, Count], second: Mapping[str, Count], *, k: int = 1
) -> PairedDifference | None:
    """Return the difference in pass@k between two on the tasks that both have samples of.

    With one sample a task ``p`` is McNemar's exact test; with more it is the exact test of sign
    changes, its generalization to fractions. None without such a task.

    Raises ValueError if a task has fewer than ``k`` samples.
    """
    both = [(first[id], second[id]) for id in first if id in second]
    if not both:
        return None
    exact = [
        exact_pass_at_k(one.total, one.correct, k) - exact_pass_at_k(other.total, other.correct, k)
        for one, other in both
    ]
    step = max(float(exact_pass_at_k(each.total, 1, k)) for pair in both for each in pair)
    gaps = list(map(float, exact))
    squares = math.fsum(gap * gap for gap in gaps)
    return PairedDifference(
        difference=math.fsum(gaps) / len(gaps),
        interval=difference_interval(gaps, step=step),
        p=sign_test(exact),
        visible=visible_difference(squares / len(gaps), len(gaps)) if squares else None,
    )


def difference_interval(gaps: Sequence[float], *, step: float = 1.0) -> tuple[float, float]:
    """Return the 95 % interval of the mean of differences from -1 to 1, one a task.

    Bonett and Price's (2012) for paired shares, for fractions as well: the normal interval after
    one more task was given to each side, won by the root of ``step``, the largest difference that
    one sample makes: 1 for a sample a task. (-1, 1) for no task.
    """
    if not gaps:
        return (-1.0, 1.0)
    number = len(gaps) + 2
    mean = math.fsum(gaps) / number
    squares = (math.fsum(gap * gap for gap in gaps) + 2 * step) / number
    half = Z * math.sqrt(max(0.0, squares - mean * mean) / number)
    return (max(-1.0, mean - half), min(1.0, mean + half))


def mcnemar(won: int, lost: int) -> float:
    """Return the two-sided p of McNemar's exact test: tasks that only one of two solves.

    McNemar 1947, by the binomial distribution. 1 without such a task.
    """
    number, fewer = won + lost, min(won, lost)
    if won == lost:
        return 1.0
    return float(Fraction(2 * sum(math.comb(number, i) for i in range(fewer + 1)), 1 << number))


def sign_test(gaps: Iterable[Fraction | float]) -> float:
    """Return the two-sided p-value of the sum of differences under random signs.

    Fisher's randomization test of paired differences (1935): if the two were alike, each task's
    difference might as well have the other sign. All sign changes are counted, not drawn.
    Differences are rounded to steps that make that possible, exactly if they have a small common
    denominator, as shares of up to hundreds of samples do.
    """
    differences = [Fraction(gap) for gap in gaps if gap]
    if all(abs(gap) == 1 for gap in differences):
        return mcnemar(sum(gap > 0 for gap in differences), sum(gap < 0 for gap in differences))
    width = 8 * (len(differences) // 8 + 1)  # bits of a count of sign changes, in whole bytes
    most = int(MOST_BITS / width / sum(map(abs, differences)))
    fine = math.lcm(*(gap.denominator for gap in differences))
    if most < min(fine, COARSE):
        spread = math.sqrt(sum(float(gap) ** 2 for gap in differences))
        return 2 * NormalDist().cdf(-abs(float(sum(differences))) / spread)
    steps = [round(gap * min(fine, most)) for gap in differences]
    return _sign_changes([step for step in steps if step], width // 8)


def _sign_changes(steps: Sequence[int], width: int) -> float:
    """Return the share of sign changes of whole numbers whose sum is at least as far from 0.

    ``width`` is the bytes of a count: the numbers of subsets by their sum are fields of one large
    integer, which is shifted and added for each further element.
    """
    whole = sum(map(abs, steps))
    # With the signs of a subset of sum s made negative the total is whole - 2 s.
    most = (whole - abs(sum(steps))) // 2
    if 2 * most == whole:
        return 1.0
    counts = 1
    mask = (1 << 8 * width * (most + 1)) - 1
    for step in steps:
        counts = (counts + (counts << 8 * width * abs(step))) & mask
    data = counts.to_bytes(width * (most + 1), "little")
    parts = (data[place : place + width] for place in range(0, len(data), width))
    tail = sum(int.from_bytes(part, "little") for part in parts)
    return float(Fraction(2 * tail, 1 << len(steps)))


def visible_difference(
    squares: float, tasks: int, *, power: float = POWER, level: float = LEVEL
) -> float:
    """Return the smallest true difference that a paired comparison finds with so much power.

    ``squares`` is the mean square of the differences a task: with one sample a task, the share of
    tasks on which the two differ. By default ``2.80 * sqrt(squares / tasks)``. At most 1.
    """
    normal = NormalDist()
    factor = normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)
    return min(1.0, factor * math.sqrt(squares / tasks)) if tasks else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted for multiple comparisons (Holm 1979), in the same order.

    The probability of any false positive among them stays within the level.
    """
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted
