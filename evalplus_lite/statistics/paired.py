"""The difference of two models or runs on the same tasks, and its statistical significance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist, fmean

from evalplus_lite.statistics.means import Z
from evalplus_lite.statistics.pass_at_k import Count, exact_pass_at_k

POWER, LEVEL = 0.8, 0.05
"""The power to detect a difference, and the significance level."""
MOST_BITS = 1 << 25
"""Maximum bits of the integer that counts the sums of all sign changes; else steps are coarser."""
COARSE = 200
"""If rounded differences would have fewer steps per task than this, there are so many tasks that
the sum of sign changes is approximated by a normal distribution."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The paired difference between two model runs on their common tasks.

    ``difference`` is the mean over tasks of first minus second, from -1 to 1, and ``interval`` its
    95 % interval. ``p`` is the probability of a difference at least as large, in either direction,
    if the models are equal. ``visible`` is the minimum detectable effect at 80 % power; None if the
    two differ on no task, as the variance is unknown then.
    """

    difference: float
    interval: tuple[float, float]
    p: float
    visible: float | None


def paired(
    first: Mapping[str, Count], second: Mapping[str, Count], *, k: int = 1
) -> PairedDifference | None:
    """Return the difference in pass@k between two runs on the tasks for which both have samples.

    With one sample per task, ``p`` is from McNemar's exact test; with more, from the exact
    sign-flip test, its generalization to fractions. None without common tasks.

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
    squares = fmean(gap * gap for gap in gaps)
    return PairedDifference(
        difference=fmean(gaps),
        interval=difference_interval(gaps, step=step),
        p=sign_test(exact),
        visible=visible_difference(squares, len(gaps)) if squares else None,
    )


def difference_interval(gaps: Sequence[float], *, step: float = 1.0) -> tuple[float, float]:
    """Return the 95 % interval of the mean of differences from -1 to 1, one per task.

    Bonett and Price's interval (2012) for paired shares, extended to fractions: the normal interval
    after adding a won task to each side, with the root of ``step`` as its difference. ``step`` is
    the largest difference that one sample makes: 1 for one sample per task. (-1, 1) without tasks.
    """
    if not gaps:
        return (-1.0, 1.0)
    number = len(gaps) + 2
    mean = math.fsum(gaps) / number
    squares = (math.fsum(gap * gap for gap in gaps) + 2 * step) / number
    half = Z * math.sqrt(max(0.0, squares - mean * mean) / number)
    return (max(-1.0, mean - half), min(1.0, mean + half))


def mcnemar(won: int, lost: int) -> float:
    """Return the two-sided p of McNemar's exact test, given the tasks solved by only one side.

    McNemar 1947, by the binomial distribution. 1 without such tasks.
    """
    number, fewer = won + lost, min(won, lost)
    if won == lost:
        return 1.0
    return float(Fraction(2 * sum(math.comb(number, i) for i in range(fewer + 1)), 1 << number))


def sign_test(gaps: Iterable[Fraction | float]) -> float:
    """Return the two-sided p-value of the sum of differences under random signs.

    Fisher's randomization test of paired differences (1935): if the two are equal, each task's
    difference might as well have the other sign. All sign changes are counted, not sampled.
    Differences are rounded to steps that make this feasible; the result is exact if they have a
    small common denominator, as shares of up to hundreds of samples do.
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
    """Return the share of sign changes of integers whose sum is at least as far from 0.

    ``width`` is the bytes of a count: the numbers of subsets, by sum, are fields of one large
    integer, which is shifted and added for each element.
    """
    whole = sum(map(abs, steps))
    # Flipping the signs of a subset with sum s gives the total whole - 2 s.
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


def visible_difference(squares: float, tasks: int) -> float:
    """Return the minimum detectable effect of a paired comparison: power 80 %, level 5 %.

    ``squares`` is the mean square of the differences by task: with one sample per task, the share
    of tasks on which the two differ. It is ``2.80 * sqrt(squares / tasks)``, at most 1.
    """
    normal = NormalDist()
    factor = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    return min(1.0, factor * math.sqrt(squares / tasks)) if tasks else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted for multiple comparisons (Holm 1979), in the same order.

    The probability of any false positive among them does not exceed the level.
    """
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted
