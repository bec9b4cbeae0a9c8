"""Covers keep what they must, whatever the matrix."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.reduce import (
    Problem,
    allocate,
    bitset,
    columns,
    distinct,
    greedy,
    is_cover,
    members,
    prune,
    ranking,
)
from evalplus_lite.reduce_bounds import core, lower_bound
from evalplus_lite.reduce_exact import smallest


@st.composite
def problems(draw: st.DrawFn, *, tests: int = 9, rows: int = 12) -> Problem:
    count = draw(st.integers(1, tests))
    sets = st.integers(0, (1 << count) - 1)
    given_tests = draw(st.one_of(st.just(0), sets))
    return Problem(count, tuple(draw(st.lists(sets, max_size=rows))), given_tests)


folds = st.integers(1, 4)
few = settings(max_examples=80, deadline=None)


def brute_force(problem: Problem, *, folds: int) -> int:
    free = [test for test in range(problem.tests) if not problem.given >> test & 1]
    for size in range(len(free) + 1):
        if any(is_cover(problem, some, folds=folds) for some in combinations(free, size)):
            return size
    raise AssertionError("all tests together are a cover")


@few
@given(problems(), folds)
def test_greedy_is_a_cover_without_redundant_or_given_tests(problem: Problem, k: int) -> None:
    """Every requirement stays satisfied, and no chosen test can be left out."""
    chosen = greedy(problem, folds=k)
    assert is_cover(problem, chosen, folds=k)
    assert len(set(chosen)) == len(chosen) <= problem.tests
    assert not bitset(chosen) & problem.given
    for test in chosen:
        assert not is_cover(problem, [other for other in chosen if other != test], folds=k)


@few
@given(problems(), folds)
def test_every_layer_of_a_ranking_is_a_cover(problem: Problem, k: int) -> None:
    """The picks up to layer k are a k-fold cover, and gains fall within a layer."""
    picks = ranking(problem, folds=k)
    for layer in range(1, k + 1):
        assert is_cover(problem, [p.test for p in picks if p.layer <= layer], folds=layer)
        gains = [p.gain for p in picks if p.layer == layer]
        assert gains == sorted(gains, reverse=True)


@few
@given(problems(), folds, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(problem: Problem, k: int, random: object) -> None:
    """The same matrix gives the same suite, however its rows are ordered."""
    rows = list(problem.rows)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert greedy(Problem(problem.tests, tuple(rows), problem.given), folds=k) == greedy(
        problem, folds=k
    )


@few
@given(problems(tests=7, rows=8), folds)
def test_bound_and_exact_agree_with_brute_force(problem: Problem, k: int) -> None:
    """The bound is never above the optimum, and HiGHS finds exactly the optimum."""
    optimum = brute_force(problem, folds=k)
    assert lower_bound(problem, folds=k) <= optimum <= len(greedy(problem, folds=k))
    solution = smallest(problem, folds=k)
    assert is_cover(problem, solution.tests, folds=k)
    assert len(solution.tests) == optimum == solution.bound


@few
@given(problems(tests=7, rows=8), folds)
def test_the_core_has_the_problem_s_optimum(problem: Problem, k: int) -> None:
    """What the core leaves out is needed by no smallest cover."""
    settled = core(problem, folds=k)
    for size in range(len(settled.tests) + 1):
        for some in combinations(settled.tests, size):
            taken = bitset(some)
            if all(
                (row & taken).bit_count() >= need
                for row, need in zip(settled.rows, settled.needs, strict=True)
            ):
                assert len(settled.forced) + size == brute_force(problem, folds=k)
                assert is_cover(problem, settled.forced + some, folds=k)
                return
    raise AssertionError("the core has no cover")


@few
@given(problems(), folds)
def test_merged_rows_are_covered_alike(problem: Problem, k: int) -> None:
    """A cover of the distinct rows covers all rows that some, but not every, test satisfies."""
    chosen = greedy(distinct(problem), folds=k)
    everything = (1 << problem.tests) - 1
    rows = tuple(row for row in problem.rows if row != everything)
    assert is_cover(Problem(problem.tests, rows, problem.given), chosen, folds=k)


@few
@given(problems(), st.lists(st.integers(0, 8)), folds)
def test_pruning_any_choice_loses_nothing(problem: Problem, some: list[int], k: int) -> None:
    """Pruning takes a subset that covers each row as often as needed or as before."""
    chosen = [test for test in dict.fromkeys(some) if test < problem.tests]
    kept = prune(problem, chosen, folds=k)
    assert set(kept) <= set(chosen)
    for row in problem.rows:
        before = (row & (bitset(chosen) | problem.given)).bit_count()
        after = (row & (bitset(kept) | problem.given)).bit_count()
        assert after >= min(k, before)


@few
@given(st.lists(problems(), max_size=4), folds, st.integers(0, 20))
def test_a_budget_is_kept_and_spent(many: list[Problem], k: int, budget: int) -> None:
    """Never more tests than the budget, never fewer while a ranking offers more."""
    rankings = [ranking(problem, folds=k) for problem in many]
    suites = allocate(rankings, budget=budget)
    assert sum(map(len, suites)) == min(budget, sum(map(len, rankings)))
    for suite, picks in zip(suites, rankings, strict=True):
        assert suite == tuple(pick.test for pick in picks)[: len(suite)]


@few
@given(problems())
def test_columns_turn_rows_over(problem: Problem) -> None:
    """Row r holds test t exactly where column t holds row r."""
    table = columns(problem)
    assert len(table) == problem.tests
    for position, row in enumerate(problem.rows):
        assert members(row) == [t for t in range(problem.tests) if table[t] >> position & 1]
