"""pass@k is what drawing k of n samples gives, counted out; intervals, as tables give them."""

from __future__ import annotations

from itertools import combinations
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.statistics.detection import bootstrap
from evalplus_lite.statistics.means import Share, added, chance_of_none
from evalplus_lite.statistics.pass_at_k import Count, estimate, pass_at_k

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


@pytest.mark.parametrize(
    ("total", "correct", "k", "value"),
    [(1, 1, 1, 1.0), (1, 0, 1, 0.0), (200, 1, 1, 0.005), (200, 1, 100, 0.5), (5, 3, 3, 1.0)],
)
def test_known_values(total: int, correct: int, k: int, value: float) -> None:
    """One right sample of 200 is found by a draw of 1 in 0.5 %, of 100 in half of the cases."""
    assert pass_at_k(total, correct, k) == value


def test_it_is_exact_where_factorials_are_huge() -> None:
    """With 10,000 samples the estimate neither overflows nor loses its small values."""
    assert isclose(pass_at_k(10_000, 1, 1), 1e-4, rel_tol=1e-15)
    assert pass_at_k(10_000, 5_000, 100) > 1 - 1e-15


@given(draws())
@FEW
def test_it_grows(draw: tuple[int, int, int]) -> None:
    """More right samples, or a larger draw, never lower it."""
    total, correct, k = draw
    value = pass_at_k(total, correct, k)
    assert 0 <= value <= 1
    if correct < total:
        assert pass_at_k(total, correct + 1, k) >= value
    if k < total:
        assert pass_at_k(total, correct, k + 1) >= value


@pytest.mark.parametrize(("total", "correct", "k"), [(1, 2, 1), (1, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_what_is_undefined_raises(total: int, correct: int, k: int) -> None:
    """More right than there are, or a draw of more than there are, is an error in words."""
    with pytest.raises(ValueError, match=f"pass@{k} is undefined for {correct} right of {total}"):
        pass_at_k(total, correct, k)


def test_the_mean_is_over_tasks() -> None:
    """The estimate is the mean over tasks, however many samples each of them has."""
    counts = {"a": Count(10, 10), "b": Count(1, 0)}
    assert estimate(counts, (1,)) == {"pass@1": 0.5}


def test_only_k_that_every_task_can_give() -> None:
    """A k that some task has too few samples for is left out; of no tasks there is no estimate."""
    counts = {"a": Count(10, 5), "b": Count(3, 1)}
    assert list(estimate(counts, (1, 3, 10))) == ["pass@1", "pass@3"]
    assert estimate({}, (1,)) == {}


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (0, 0, 0, 1),
        (5, 5, 0.565517535, 1),
        (0, 10, 0, 0.277532800),
        (1, 1000, 0.000176546, 0.005642559),
        (28, 40, 0.545699812, 0.819251548),
        (56, 61, 0.822053382, 0.964480433),
        (221, 268, 0.774600862, 0.865478104),
    ],
)
def test_intervals_are_wilson_s(hits: int, total: int, low: float, high: float) -> None:
    """A share's 95 % interval is that of ``proportion_confint`` in statsmodels 0.15.0."""
    assert Share(hits, total).interval == pytest.approx((low, high), abs=1e-7)


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8))
@FEW
def test_chance_of_none_is_counted_out(misses: int, hits: int, drawn: int) -> None:
    """The chance that no hit is drawn equals the share of subsets without one."""
    total = misses + hits
    subsets = list(combinations(range(total), min(drawn, total)))
    share = sum(all(number >= hits for number in subset) for subset in subsets) / len(subsets)
    assert chance_of_none(total, hits, drawn) == pytest.approx(share, abs=1e-12)


def test_tasks_are_drawn_whole() -> None:
    """Programs that are alike within a task leave as much to chance as that many tasks do."""
    clusters = [Share(10 * right, 10) for right in (0, 0, 0, 1, 1, 1, 1, 1, 1, 1)]
    low, high = bootstrap(clusters, lambda tasks: added(tasks).value, seed=1)
    assert low <= 0.5 <= 0.9 <= high
    wilson = added(clusters).interval
    assert low < wilson[0] < 0.7 < wilson[1] < high
    assert bootstrap(clusters, lambda tasks: added(tasks).value, seed=1) == (low, high)
    assert bootstrap([Share(3, 3)] * 4, lambda tasks: added(tasks).value, seed=1) == (1.0, 1.0)
    assert bootstrap([], lambda tasks: 0.5, seed=1) == (0.0, 1.0)
