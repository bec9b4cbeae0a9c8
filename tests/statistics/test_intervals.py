"""Intervals hold what they promise: against scipy and statsmodels, and by simulation."""

from __future__ import annotations

import math
from statistics import mean

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evalplus_lite.statistics.detection import bootstrap
from evalplus_lite.statistics.means import (
    clustered_interval,
    intervals,
    mean_interval,
    noise,
    paired_noise,
    wilson,
)
from evalplus_lite.statistics.paired import difference_interval
from evalplus_lite.statistics.pass_at_k import Count

SIZES = (20, 164, 378)
ROUNDS = 600


def tasks(rights: list[int], total: int) -> dict[str, Count]:
    return {str(n): Count(total, right) for n, right in enumerate(rights)}


@pytest.mark.parametrize(("hits", "total"), [(0, 20), (1, 20), (112, 164), (164, 164), (200, 378)])
def test_wilson_is_that_of_statsmodels(hits: int, total: int) -> None:
    """One sample a task: the interval of a mean over tasks is Wilson's, digit for digit."""
    known = proportion_confint(hits, total, method="wilson")
    assert wilson(hits / total, total) == pytest.approx(known, abs=1e-7)
    counts = tasks([1] * hits + [0] * (total - hits), 1)
    assert intervals(counts, (1, 10)) == {"pass@1": pytest.approx(known, abs=1e-7)}


def test_samples_of_a_task_count_by_how_alike_they_are() -> None:
    """Ten equal samples are worth one, ten independent ones nearly ten."""
    alike = mean_interval([0.0] * 50 + [1.0] * 50, samples=1000)
    assert alike == pytest.approx(wilson(0.5, 100))
    rates = np.random.default_rng(1).binomial(10, 0.5, 100) / 10
    low, high = mean_interval(list(rates), samples=1000)
    narrow, wide = wilson(float(rates.mean()), 1000), wilson(float(rates.mean()), 100)
    assert narrow[1] - narrow[0] <= high - low < 0.5 * (wide[1] - wide[0])
    assert mean_interval([1.0] * 20, samples=200) == pytest.approx(wilson(1.0, 20))
    assert mean_interval([], samples=0) == (0.0, 1.0)


def test_clusters_count_by_their_size() -> None:
    """A large cluster is worth little more than a small one; equal ones are as tasks are."""
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


def test_the_bootstrap_is_that_of_scipy() -> None:
    """Drawn tasks give scipy's percentile interval, up to the draws; the same seed, the same."""
    values = (np.random.default_rng(5).binomial(10, 0.6, 164) / 10).tolist()
    found = bootstrap(values, mean, seed=3, draws=2000)
    known = stats.bootstrap(
        (values,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert found == pytest.approx(tuple(known), abs=0.004)
    assert bootstrap(values, mean, seed=3, draws=2000) == found


def test_noise_is_told_apart() -> None:
    """Sampling and task noise are found as they were put in, and add up to the whole."""
    chance = np.random.default_rng(9)
    rates = chance.beta(2.0, 2.0, 4000)
    found = noise(tasks(chance.binomial(5, rates).tolist(), 5))
    assert found is not None
    assert found.between == pytest.approx(0.05, abs=0.005)  # the variance of Beta(2, 2)
    assert found.within == pytest.approx(0.25 - 0.05, abs=0.005)  # E p(1 - p)
    assert found.standard_error() == pytest.approx(math.sqrt((0.05 + 0.2 / 5) / 4000), rel=0.05)
    assert found.standard_error(math.inf) < found.standard_error(20) < found.standard_error()
    assert noise(tasks([1, 0, 1], 1)) is None
    assert noise(tasks([3], 5)) is None


def test_the_noise_of_a_difference_leaves_out_what_both_find_hard() -> None:
    """Two models of equal rates a task differ by sampling alone."""
    chance = np.random.default_rng(4)
    rates = chance.beta(0.5, 0.5, 4000)
    first, second = (tasks(chance.binomial(8, rates).tolist(), 8) for _ in range(2))
    found = paired_noise(first, second)
    assert found is not None
    assert found.between == pytest.approx(0.0, abs=0.003)
    assert found.within == pytest.approx(2 * 0.125, abs=0.01)  # twice E p(1 - p)
    assert found.samples == pytest.approx(8)
    assert paired_noise(first, tasks([1], 1)) is None
