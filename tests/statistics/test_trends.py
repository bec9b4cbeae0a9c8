"""Trends are those of scipy and statsmodels, and their intervals hold the truth as they say."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from evalplus_lite.statistics.means import difference_of_shares, wilson
from evalplus_lite.statistics.trends import (
    Observation,
    line_fit,
    logarithmic_fit,
    rank_correlation,
    size_groups,
    student,
)


def drawn(
    seed: int, *, functions: int = 40, cases: int = 6, slope: float = -0.2
) -> list[Observation]:
    """Return right and wrong answers that get rarer as x grows, alike within a function."""
    chance = np.random.default_rng(seed)
    points = []
    for number in range(functions):
        size = float(chance.integers(1, 200))
        own = chance.normal(0, 0.15)
        for _ in range(cases):
            x = max(1.0, size + float(chance.integers(-3, 4)))
            rate = min(0.98, max(0.02, 0.8 + slope * (math.log10(x) - 1) + own))
            points.append(Observation(str(number), x, float(chance.random() < rate)))
    return points


def test_a_line_is_that_of_statsmodels() -> None:
    """Intercept, slope and cluster-robust interval, digit for digit but for the t of few."""
    points = drawn(1)
    x = np.log10([p.x for p in points])
    groups = np.array([int(p.cluster) for p in points])
    known = sm.OLS([p.y for p in points], sm.add_constant(x)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = logarithmic_fit(points)
    assert found is not None
    assert (found.intercept, found.slope) == pytest.approx(tuple(known.params))
    assert found.interval == pytest.approx(tuple(known.conf_int()[1]), rel=1e-4)
    assert (found.points, found.clusters) == (240, 40)


def test_ranks_are_those_of_scipy() -> None:
    """Spearman's coefficient with ties; its interval moves with the clusters, not the points."""
    points = drawn(2)
    found = rank_correlation(points)
    assert found is not None
    known = stats.spearmanr([p.x for p in points], [p.y for p in points]).statistic
    assert found.value == pytest.approx(known)
    thrice = rank_correlation(points * 3)
    assert thrice is not None
    assert thrice.interval == pytest.approx(found.interval)
    rising = rank_correlation([Observation(str(n), n, n / 10) for n in range(10)])
    assert rising is not None
    assert rising.interval == (1.0, 1.0)


def test_intervals_of_trends_hold_the_truth() -> None:
    """Of a slope and of a coefficient, about 95 times in a hundred; naive ones do not."""
    truth = logarithmic_fit(drawn(3, functions=2000, cases=2))
    ranks = rank_correlation(drawn(3, functions=2000, cases=2))
    assert truth is not None
    assert ranks is not None
    rounds = 80
    held = [0, 0]
    for seed in range(rounds):
        points = drawn(1000 + seed, functions=25)
        fit, rank = logarithmic_fit(points), rank_correlation(points)
        assert fit is not None
        assert rank is not None
        held[0] += fit.interval[0] <= truth.slope <= fit.interval[1]
        held[1] += rank.interval[0] <= ranks.value <= rank.interval[1]
    assert all(0.86 * rounds <= each <= rounds for each in held), held


def test_what_has_no_trend_is_none() -> None:
    """One size, few functions, nothing at all, one answer throughout."""
    assert line_fit([]) is None
    assert rank_correlation([]) is None
    assert line_fit([Observation(str(n), 3.0, n % 2) for n in range(9)]) is None
    assert line_fit([Observation("f", n, n % 2) for n in range(9)]) is None
    assert rank_correlation([Observation(str(n), n, 1.0) for n in range(9)]) is None
    assert logarithmic_fit([Observation(str(n), -n, n % 2) for n in range(9)]) is None


def test_groups_by_size_hold_all_points_once() -> None:
    """Each point in one group, equal values together, the mean that of its points."""
    points = [*drawn(4), Observation("zero", 0.0, 1.0)]
    found = size_groups(points, count=8, logarithmic=True)
    assert 1 < len(found) <= 8
    assert sum(group.points for group in found) == len(points) - 1
    assert all(one.high < other.low for one, other in itertools.pairwise(found))
    inside = [p.y for p in points if found[0].low <= p.x <= found[0].high]
    assert found[0].mean == pytest.approx(np.mean(inside))
    assert found[0].variance == pytest.approx(np.var(inside))
    assert found[0].interval[0] <= found[0].mean <= found[0].interval[1]
    assert len(size_groups([Observation("f", 2.0, 1.0)] * 3, count=5, logarithmic=True)) == 1
    assert sum(g.points for g in size_groups(points, count=3, logarithmic=False)) == len(points)


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 20, 500])
def test_students_t(freedom: int) -> None:
    assert student(freedom) == pytest.approx(float(stats.t.ppf(0.975, freedom)), rel=2e-3)


def test_the_difference_of_shares_is_newcombes() -> None:
    """Of single items it is his hybrid interval, digit for digit."""
    known = confint_proportions_2indep(30, 50, 12, 40, method="newcomb")
    first, second = (30 / 50, wilson(30 / 50, 50)), (12 / 40, wilson(12 / 40, 40))
    assert difference_of_shares(first, second) == pytest.approx(known, abs=1e-6)
