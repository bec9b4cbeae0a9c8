"""Paired tests are those of the textbooks, and find what they say that they would."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as known_mcnemar
from statsmodels.stats.multitest import multipletests

from evalplus_lite.statistics.paired import holm, mcnemar, paired, sign_test, visible_difference
from evalplus_lite.statistics.pass_at_k import Count

FEW = settings(max_examples=60, deadline=None)


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
    """scipy's permutation test of paired samples counts the same."""
    gaps = [0.3, 0.5, -0.2, 0.9, 0.1, 0.4, -0.1, 0.7, 0.2, 0.6]
    known = stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_test(Fraction(round(10 * gap), 10) for gap in gaps) == pytest.approx(known)


def test_many_tasks_in_fine_steps_are_near_the_normal_s() -> None:
    """Whatever the denominators, thousands of tasks are counted in steps that memory holds."""
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
    assert visible_difference(0.1, 164, power=0.9, level=0.01) > visible_difference(0.1, 164)
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
    assert found is not None
    assert found.difference == pytest.approx((1 + 0.5 - 1) / 3)
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.p == sign_test([1, Fraction(1, 2), -1])
    back = paired(second, first)
    assert back is not None
    assert back.interval == pytest.approx((-found.interval[1], -found.interval[0]))
    assert (back.p, back.visible) == (found.p, found.visible)
    assert paired(first, {"x": Count(1, 1)}) is None
    same = paired(first, first, k=2)
    assert same is not None
    assert (same.difference, same.p, same.visible) == (0.0, 1.0, None)
    with pytest.raises(ValueError, match="pass@2"):
        paired(first, second, k=2)
