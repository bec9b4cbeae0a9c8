"""The figures of efficiency, against their definitions and by hand."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest

from evalplus_lite.statistics.efficiency import dps, eff_at_k, growth, pairs_of, score


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_eff_at_k_is_the_mean_of_the_best_of_all_subsets(k: int) -> None:
    scores = [0.0, 0.3, 0.3, 0.9, 1.2]
    best = [max(some) for some in itertools.combinations(scores, k)]
    assert eff_at_k(scores, k) == pytest.approx(statistics.fmean(best))


def test_eff_at_k_of_too_few_samples() -> None:
    with pytest.raises(ValueError, match="undefined"):
        eff_at_k([1.0], 2)


def test_scores() -> None:
    """One limit, twice the reference's most work; levels from the first late one on score 0."""
    reference = [[10, 100], [200], [400]]
    assert score(reference, reference) == 1
    assert score([[100], [200], [800]], reference) == pytest.approx(0.6)
    assert score([[450], [200], [None]], reference) == pytest.approx((1.5 + 3) / 10)
    assert score([[100], [None]], reference) == pytest.approx(0.3)
    assert score([[100], [None], [400]], reference) == pytest.approx(0.3)
    assert score([[0], [0], [0]], reference) > 1


def test_dps_gives_equal_work_equal_rank() -> None:
    assert dps(10, [10, 10, 20, 40]) == (100, 100)
    assert dps(20, [10, 10, 20, 40]) == (50, pytest.approx(200 / 3))
    assert dps(1100, [1000, 1100, 2000]) == (100, 100)
    assert dps(1300, [1000, 1300, 2000]) == (pytest.approx(200 / 3), pytest.approx(200 / 3))
    assert dps(math.inf, [1000, math.inf, math.inf, math.inf]) == (75, 50)


@pytest.mark.parametrize(
    ("units", "name"),
    [
        ([5, 5, 5, 5], "constant"),
        ([110, 210, 410, 810], "linear"),
        ([100, 400, 1600, 6400], "quadratic"),
        ([8, 64, 512, 4096], "cubic"),
        ([10, 40, 160, 320], "undecided"),
    ],
)
def test_growth(units: list[int], name: str) -> None:
    found = growth([8, 16, 32, 64], units)
    assert found is not None
    assert found["name"] == name


def test_growth_needs_three_sizes() -> None:
    assert growth([8, 16], [1, 2]) is None


def test_pairs_of_models_by_their_work() -> None:
    """By the median, on tasks that both solve; 20 % is equal, a late program does most."""
    one = {"a": [10.0], "b": [100.0, 1e6, 100.0], "c": [5.0], "d": [1.0]}
    other = {"a": [11.0], "b": [200.0], "c": [math.inf]}
    (pair,) = pairs_of({"one": one, "other": other})
    assert (pair["tasks"], pair["less"], pair["more"]) == (3, 2, 0)
    assert pair["ratio"] == pytest.approx(math.sqrt(10 / 11 / 2))
    assert pair["p"] == 0.5
    assert pairs_of({"one": one}) == []
    assert pairs_of({"one": {"a": [5.0]}, "other": {"a": [0.0]}})[0]["ratio"] is None
