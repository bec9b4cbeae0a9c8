"""Intervals hold what they promise: against scipy and statsmodels, and by simulation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from itertools import combinations, product
from math import isclose
from statistics import mean

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as known_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from evalplus_lite.statistics.detection import bootstrap
from evalplus_lite.statistics.means import (
    Share,
    added,
    chance_of_none,
    clustered_interval,
    difference_of_shares,
    intervals,
    mean_interval,
    noise,
    paired_noise,
    wilson,
)
from evalplus_lite.statistics.paired import (
    difference_interval,
    holm,
    mcnemar,
    paired,
    sign_test,
    visible_difference,
)
from evalplus_lite.statistics.pass_at_k import Count, estimate, pass_at_k
from evalplus_lite.statistics.trends import (
    Observation,
    line_fit,
    logarithmic_fit,
    rank_correlation,
    size_groups,
    student,
)

SIZES = (20, 164, 378)
ROUNDS = 600


def tasks(rights: list[int], total: int) -> dict[str, Count]:
    return {str(n): Count(total, right) for n, right in enumerate(rights)}


@pytest.mark.parametrize(
    ("hits", "total"), [(0, 20), (1, 20), (5, 5), (1, 1000), (112, 164), (164, 164), (200, 378)]
)
def test_wilson_is_that_of_statsmodels(hits: int, total: int) -> None:
    """One sample a task: the interval of a mean over tasks is Wilson's, digit for digit."""
    known = proportion_confint(hits, total, method="wilson")
    assert Share(hits, total).interval == pytest.approx(known, abs=1e-7)
    counts = tasks([1] * hits + [0] * (total - hits), 1)
    assert intervals(counts, (1, 10)) == {"pass@1": pytest.approx(known, abs=1e-7)}


def test_samples_and_clusters_count_by_how_alike_they_are() -> None:
    """Ten equal samples are worth one; a large cluster little more than a small one."""
    alike = mean_interval([0.0] * 50 + [1.0] * 50, samples=1000)
    assert alike == pytest.approx(wilson(0.5, 100))
    rates = np.random.default_rng(1).binomial(10, 0.5, 100) / 10
    low, high = mean_interval(list(rates), samples=1000)
    narrow, wide = wilson(float(rates.mean()), 1000), wilson(float(rates.mean()), 100)
    assert narrow[1] - narrow[0] <= high - low < 0.5 * (wide[1] - wide[0])
    assert mean_interval([1.0] * 20, samples=200) == pytest.approx(wilson(1.0, 20))
    assert mean_interval([], samples=0) == Share(0, 0).interval == (0.0, 1.0)
    assert clustered_interval([(5, 5), (0, 5)]) == pytest.approx(wilson(0.5, 2))
    low, high = clustered_interval([(90, 100), *[(0, 1)] * 10])
    assert high - low > 0.5 > 0.2 > wilson(0.8, 110)[1] - wilson(0.8, 110)[0]
    rates = [0.1, 0.9, 0.4, 0.4, 1.0]
    assert clustered_interval([(10 * rate, 10) for rate in rates]) == pytest.approx(
        mean_interval(rates, samples=50)
    )
    assert clustered_interval([(0, 0)]) == (0.0, 1.0)


@pytest.mark.parametrize("number", [20, 164])
def test_the_interval_of_a_share_in_clusters_holds_the_truth(number: int) -> None:
    """Functions of one to thirty cases that are alike: about 95 of 100 hold the true share."""
    chance = np.random.default_rng(number)
    held = 0
    for _ in range(ROUNDS):
        sizes = chance.integers(1, 31, number)
        hits = chance.binomial(sizes, chance.beta(1.0, 1.5, number))
        low, high = clustered_interval(zip(hits.tolist(), sizes.tolist(), strict=True))
        held += low <= 0.4 <= high
    assert 0.925 < held / ROUNDS < 0.985


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize(("samples", "a", "b"), [(1, 0.5, 0.3), (10, 0.5, 0.3), (10, 1.0, 4.0)])
def test_the_interval_of_a_mean_holds_the_truth(
    number: int, samples: int, a: float, b: float
) -> None:
    """In about 95 of 100 draws of tasks and samples the true pass rate lies within."""
    chance = np.random.default_rng(number + samples)
    rates = chance.binomial(samples, chance.beta(a, b, (ROUNDS, number))) / samples
    held = [mean_interval(row, samples=samples * number) for row in rates.tolist()]
    covered = sum(low <= a / (a + b) <= high for low, high in held) / ROUNDS
    assert 0.925 < covered < 0.985


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("samples", [1, 10])
def test_the_interval_of_a_difference_holds_the_truth(number: int, samples: int) -> None:
    """Two models that find the same tasks hard: the true difference lies within."""
    chance = np.random.default_rng(number + samples)

    def gaps(rounds: int, tasks: int) -> np.ndarray:
        hard = 2 * chance.standard_normal((rounds, tasks))
        other = hard + 0.5 + chance.standard_normal((rounds, tasks))
        first, second = (1 / (1 + np.exp(-each)) for each in (hard, other))
        drawn = chance.binomial(samples, second) - chance.binomial(samples, first)
        return np.asarray(drawn / samples)

    truth = float(gaps(200, 5000).mean())
    rows = gaps(ROUNDS, number).tolist()
    held = [difference_interval(row, step=1 / samples) for row in rows]
    covered = sum(low <= truth <= high for low, high in held) / ROUNDS
    assert 0.925 < covered < 0.99
    assert difference_interval([]) == (-1.0, 1.0)


def test_shares_and_bootstraps() -> None:
    """Those of scipy and Newcombe, digit for digit; tasks are drawn whole."""
    values = (np.random.default_rng(5).binomial(10, 0.6, 164) / 10).tolist()
    found = bootstrap(values, mean, seed=3, draws=2000)
    known = stats.bootstrap(
        (values,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert found == pytest.approx(tuple(known), abs=0.004)
    assert bootstrap(values, mean, seed=3, draws=2000) == found
    clusters = [Share(10 * right, 10) for right in (0, 0, 0, 1, 1, 1, 1, 1, 1, 1)]
    low, high = bootstrap(clusters, lambda tasks: added(tasks).value, seed=1)
    assert low <= 0.5 <= 0.9 <= high
    inner = added(clusters).interval
    assert low < inner[0] < 0.7 < inner[1] < high
    assert bootstrap(clusters, lambda tasks: added(tasks).value, seed=1) == (low, high)
    assert bootstrap([Share(3, 3)] * 4, lambda tasks: added(tasks).value, seed=1) == (1.0, 1.0)
    assert bootstrap([], lambda tasks: 0.5, seed=1) == (0.0, 1.0)
    known = confint_proportions_2indep(30, 50, 12, 40, method="newcomb")
    first, second = (30 / 50, wilson(30 / 50, 50)), (12 / 40, wilson(12 / 40, 40))
    assert difference_of_shares(first, second) == pytest.approx(known, abs=1e-6)


def test_noise_is_told_apart() -> None:
    """Of sampling and of tasks, as it was put in; of a difference without what both find hard."""
    chance = np.random.default_rng(9)
    rates = chance.beta(2.0, 2.0, 4000)
    found = noise(tasks(chance.binomial(5, rates).tolist(), 5))
    assert found.between == pytest.approx(0.05, abs=0.005)  # the variance of Beta(2, 2)
    assert found.within == pytest.approx(0.25 - 0.05, abs=0.005)  # E p(1 - p)
    assert found.standard_error() == pytest.approx(math.sqrt((0.05 + 0.2 / 5) / 4000), rel=0.05)
    assert found.standard_error(math.inf) < found.standard_error(20) < found.standard_error()
    assert noise(tasks([1, 0, 1], 1)) is None
    assert noise(tasks([3], 5)) is None
    chance = np.random.default_rng(4)
    rates = chance.beta(0.5, 0.5, 4000)
    first, second = (tasks(chance.binomial(8, rates).tolist(), 8) for _ in range(2))
    found = paired_noise(first, second)
    assert found.between == pytest.approx(0.0, abs=0.003)
    assert found.within == pytest.approx(2 * 0.125, abs=0.01)  # twice E p(1 - p)
    assert found.samples == pytest.approx(8)
    assert paired_noise(first, tasks([1], 1)) is None


# pass@k is what drawing k of n samples gives, counted out; intervals, as tables give them.

FEW = settings(max_examples=60, deadline=None)


@st.composite
def draws(draw: st.DrawFn) -> tuple[int, int, int]:
    total = draw(st.integers(1, 8))
    return total, draw(st.integers(0, total)), draw(st.integers(1, total))


@given(draws())
@FEW
def test_it_counts_the_draws_with_a_right_sample(draw: tuple[int, int, int]) -> None:
    """pass@k equals the share of all k-subsets of the n samples that hold a right one."""
    total, correct, k = draw
    subsets = list(combinations(range(total), k))
    share = sum(min(subset) < correct for subset in subsets) / len(subsets)
    assert pass_at_k(total, correct, k) == pytest.approx(share, abs=1e-15)


def test_pass_at_k_of_many() -> None:
    """Exact where factorials are huge, the mean over tasks, for each k that all can give."""
    assert (pass_at_k(200, 1, 1), pass_at_k(200, 1, 100)) == (0.005, 0.5)
    assert isclose(pass_at_k(10_000, 1, 1), 1e-4, rel_tol=1e-15)
    assert pass_at_k(10_000, 5_000, 100) > 1 - 1e-15
    counts = {"a": Count(10, 10), "b": Count(1, 0)}
    assert estimate(counts, (1,)) == {"pass@1": 0.5}
    counts = {"a": Count(10, 5), "b": Count(3, 1)}
    assert list(estimate(counts, (1, 3, 10))) == ["pass@1", "pass@3"]
    assert estimate({}, (1,)) == {}


@pytest.mark.parametrize(("total", "correct", "k"), [(1, 2, 1), (1, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_what_is_undefined_raises(total: int, correct: int, k: int) -> None:
    """More right than there are, or a draw of more than there are, is an error in words."""
    with pytest.raises(ValueError, match=f"pass@{k} is undefined for {correct} right of {total}"):
        pass_at_k(total, correct, k)


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8))
@FEW
def test_chance_of_none_is_counted_out(misses: int, hits: int, drawn: int) -> None:
    """The chance that no hit is drawn equals the share of subsets without one."""
    total = misses + hits
    subsets = list(combinations(range(total), min(drawn, total)))
    share = sum(all(number >= hits for number in subset) for subset in subsets) / len(subsets)
    assert chance_of_none(total, hits, drawn) == pytest.approx(share, abs=1e-12)


# Trends are those of scipy and statsmodels, and their intervals hold the truth as they say.


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


def test_trends_are_those_of_statsmodels_and_scipy() -> None:
    """Digit for digit; intervals move with the clusters, not the points."""
    points = drawn(1)
    x = np.log10([p.x for p in points])
    groups = np.array([int(p.cluster) for p in points])
    known = sm.OLS([p.y for p in points], sm.add_constant(x)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = logarithmic_fit(points)
    assert (found.intercept, found.slope) == pytest.approx(tuple(known.params))
    assert found.interval == pytest.approx(tuple(known.conf_int()[1]), rel=1e-4)
    assert (found.points, found.clusters) == (240, 40)
    points = drawn(2)
    found = rank_correlation(points)
    known = stats.spearmanr([p.x for p in points], [p.y for p in points]).statistic
    assert found.value == pytest.approx(known)
    thrice = rank_correlation(points * 3)
    assert thrice.interval == pytest.approx(found.interval)
    rising = rank_correlation([Observation(str(n), n, n / 10) for n in range(10)])
    assert rising.interval == (1.0, 1.0)


def test_intervals_of_trends_hold_the_truth() -> None:
    """Of a slope and of a coefficient, about 95 times in a hundred; naive ones do not."""
    truth = logarithmic_fit(drawn(3, functions=2000, cases=2))
    ranks = rank_correlation(drawn(3, functions=2000, cases=2))
    assert truth is not None
    rounds = 80
    held = [0, 0]
    for seed in range(rounds):
        points = drawn(1000 + seed, functions=25)
        fit, rank = logarithmic_fit(points), rank_correlation(points)
        held[0] += fit.interval[0] <= truth.slope <= fit.interval[1]
        held[1] += rank.interval[0] <= ranks.value <= rank.interval[1]
    assert all(0.86 * rounds <= each <= rounds for each in held), held


def test_trends_and_groups() -> None:
    """What has no trend is none; each point is in one group, equal values together."""
    assert line_fit([]) is None
    assert rank_correlation([]) is None
    assert line_fit([Observation(str(n), 3.0, n % 2) for n in range(9)]) is None
    assert line_fit([Observation("f", n, n % 2) for n in range(9)]) is None
    assert rank_correlation([Observation(str(n), n, 1.0) for n in range(9)]) is None
    assert logarithmic_fit([Observation(str(n), -n, n % 2) for n in range(9)]) is None
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


@pytest.mark.parametrize("freedom", [3, 5, 20, 500])
def test_students_t(freedom: int) -> None:
    assert student(freedom) == pytest.approx(float(stats.t.ppf(0.975, freedom)), rel=2e-3)


# Paired tests are those of the textbooks, and find what they say that they would.


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (5, 0), (6, 0), (3, 3), (12, 4), (400, 330)])
def test_mcnemar_is_that_of_statsmodels(won: int, lost: int) -> None:
    """The exact test of statsmodels gives the same p; the sign test of whole tasks is that test."""
    known = known_mcnemar([[9, won], [lost, 9]], exact=True).pvalue
    assert mcnemar(won, lost) == pytest.approx(known, rel=1e-9)
    gaps = [1.0] * won + [-1.0] * lost + [0.0] * 9
    assert sign_test(gaps) == mcnemar(won, lost)


@given(st.lists(st.integers(-6, 6), max_size=9))
@FEW
def test_all_sign_changes_are_counted(steps: list[int]) -> None:
    """The p is the share of all sign changes whose sum is as far from 0 as what was seen."""
    sums = [
        abs(sum(map(int.__mul__, steps, signs))) for signs in product((1, -1), repeat=len(steps))
    ]
    share = sum(each >= abs(sum(steps)) for each in sums) / len(sums)
    assert sign_test([Fraction(step, 6) for step in steps]) == pytest.approx(share, rel=1e-12)


def test_sign_changes_are_scipy_s_permutations() -> None:
    """Thousands of tasks are counted in steps that memory holds, near the normal's."""
    gaps = [0.3, 0.5, -0.2, 0.9, 0.1, 0.4, -0.1, 0.7, 0.2, 0.6]
    known = stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_test(Fraction(round(10 * gap), 10) for gap in gaps) == pytest.approx(known)
    chance = np.random.default_rng(2)
    gaps = chance.normal(0.01, 0.3, 3000).clip(-1, 1).tolist()
    for some in (gaps, gaps[:300]):
        normal = 2 * stats.norm.sf(abs(sum(some)) / np.sqrt(sum(gap * gap for gap in some)))
        assert sign_test(some) == pytest.approx(normal, rel=0.01)


def test_a_difference_that_can_be_seen_is_seen_in_four_of_five() -> None:
    """At the smallest visible difference the test finds a difference in about 80 %, at 0 in 5 %."""
    chance = np.random.default_rng(7)
    number, share = 400, 0.3
    seen = visible_difference(share, number)
    assert seen == pytest.approx(2.80 * np.sqrt(share / number), rel=1e-3)
    for difference, low, high in ((seen, 0.74, 0.86), (0.0, 0.01, 0.06)):
        won, lost = (share + difference) / 2, (share - difference) / 2
        found = chance.multinomial(number, [won, lost, 1 - share], 500)
        assert low < np.mean([mcnemar(int(w), int(s)) < 0.05 for w, s, _ in found]) < high
    assert visible_difference(0.1, 164) == pytest.approx(0.069, abs=5e-4)
    assert visible_difference(0.1, 378) == pytest.approx(0.0456, abs=5e-4)
    assert visible_difference(1.0, 4) == visible_difference(0.0, 0) == 1.0


@pytest.mark.parametrize("chances", [[0.3], [0.04, 0.001, 0.2, 0.04], [0.5, 1.0, 0.02, 0.0, 0.6]])
def test_holm_is_that_of_statsmodels(chances: list[float]) -> None:
    """Holm's p-values, in the order given."""
    assert holm(chances) == pytest.approx(multipletests(chances, method="holm")[1], abs=1e-12)


def test_models_are_compared_on_the_tasks_that_both_have() -> None:
    """The difference counts tasks of both; of pass@k, too."""
    first = {"a": Count(2, 2), "b": Count(2, 1), "c": Count(2, 0), "d": Count(2, 2)}
    second = {"a": Count(1, 0), "b": Count(1, 0), "c": Count(1, 1), "e": Count(1, 1)}
    found = paired(first, second)
    assert found.difference == pytest.approx((1 + 0.5 - 1) / 3)
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.p == sign_test([1, Fraction(1, 2), -1])
    back = paired(second, first)
    assert back.interval == pytest.approx((-found.interval[1], -found.interval[0]))
    assert (back.p, back.visible) == (found.p, found.visible)
    assert paired(first, {"x": Count(1, 1)}) is None
    same = paired(first, first, k=2)
    assert (same.difference, same.p, same.visible) == (0.0, 1.0, None)
    with pytest.raises(ValueError, match="pass@2"):
        paired(first, second, k=2)
