"""Two models, or two runs, on the same tasks: the difference, and whether chance would do it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from evalplus_lite.statistics.pass_at_k import Count, exact_pass_at_k
from evalplus_lite.statistics.shares import Z

POWER, LEVEL = 0.8, 0.05
"""With what chance a difference is to be found, and with what chance one where there is none."""
MOST_BITS = 1 << 25
"""Of the number that counts the sums of all sign changes; what needs more is taken less finely."""
COARSE = 200
"""Where differences could only be taken in fewer steps a task than this, and these are not all that
they have, sign changes are not counted but their sum is taken to be normal: they are very many."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much better the first of two is on the tasks that both were judged on.

    ``difference`` is the mean over tasks of first minus second, from -1 to 1, and ``interval`` its
    95 % interval; ``p`` is the chance of a difference as large or larger, either way, if the two
    were alike. On ``won`` tasks the first does better, on ``lost`` worse. ``visible`` is the
    smallest true difference that so many tasks would have shown with 80 % power; None if the two
    differ nowhere, as then nothing is known of how they would.
    """

    tasks: int
    difference: float
    interval: tuple[float, float]
    p: float
    won: int
    lost: int
    visible: float | None


def paired(
    first: Mapping[str, Count], second: Mapping[str, Count], *, k: int = 1
) -> PairedDifference | None:
    """Return the difference in pass@k between two on the tasks that both have samples of.

    With one sample a task ``p`` is McNemar's exact test, with more the exact test of sign changes,
    which is the same test for fractions. None if there is no such task.

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
        tasks=len(gaps),
        difference=math.fsum(gaps) / len(gaps),
        interval=difference_interval(gaps, step=step),
        p=sign_test(exact),
        won=sum(gap > 0 for gap in exact),
        lost=sum(gap < 0 for gap in exact),
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
    """Return the two-sided p of McNemar's exact test: tasks that one of two solves and not both.

    McNemar 1947, by the binomial distribution. 1 if there is no such task.
    """
    number, fewer = won + lost, min(won, lost)
    if won == lost:
        return 1.0
    return float(Fraction(2 * sum(math.comb(number, i) for i in range(fewer + 1)), 1 << number))


def sign_test(gaps: Iterable[Fraction | float]) -> float:
    """Return the chance that differences of random sign add up to as much or more, either way.

    Fisher's randomization test of paired differences (1935): if the two were alike, each task's
    difference might as well have the other sign. All sign changes are counted, not drawn; the
    differences are taken in steps that make that possible, and exactly where they have a small
    common denominator, as shares of up to hundreds of samples do.
    """
    found = [Fraction(gap) for gap in gaps if gap]
    if all(abs(gap) == 1 for gap in found):
        return mcnemar(sum(gap > 0 for gap in found), sum(gap < 0 for gap in found))
    width = 8 * (len(found) // 8 + 1)  # bits of a count of sign changes, in whole bytes
    most = int(MOST_BITS / width / sum(map(abs, found)))
    fine = math.lcm(*(gap.denominator for gap in found))
    if most < min(fine, COARSE):
        spread = math.sqrt(sum(float(gap) ** 2 for gap in found))
        return 2 * NormalDist().cdf(-abs(float(sum(found))) / spread)
    steps = [round(gap * min(fine, most)) for gap in found]
    return _sign_changes([step for step in steps if step], width // 8)


def _sign_changes(steps: Sequence[int], width: int) -> float:
    """Return the share of sign changes of whole numbers whose sum is as far from 0, or farther.

    ``width`` is the bytes that a count takes: the numbers of subsets by their sum stand beside each
    other in one large integer, and are shifted and added for each further element.
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
    """Return p-values as they are after looking at all of these (Holm 1979), in the same order.

    Taken together, the chance of calling any difference real that is none stays within the level.
    """
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    found, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        found[place] = least
    return found
