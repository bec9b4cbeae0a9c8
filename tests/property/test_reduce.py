"""Covers keep what they must, whatever the matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalplus_lite.reduction.policy import FADING, UNIT, allocate, ranking, weighed
from evalplus_lite.reduction.set_cover import (
    CoverProblem,
    bitset,
    columns,
    demands,
    distinct,
    greedy,
    members,
    prune,
)


def is_cover(problem: CoverProblem, chosen: Iterable[int]) -> bool:
    """Return whether the given and the chosen tests together satisfy every row."""
    taken = bitset(chosen) & ~problem.given
    return all(
        (row & taken).bit_count() >= demand
        for row, demand in zip(problem.rows, demands(problem), strict=True)
    )


@st.composite
def problems(draw: st.DrawFn, *, tests: int = 9, rows: int = 12) -> CoverProblem:
    count = draw(st.integers(1, tests))
    sets = st.integers(0, (1 << count) - 1)
    given_tests = draw(st.one_of(st.just(0), sets))
    found = draw(st.lists(sets, max_size=rows))
    return CoverProblem(count, tuple(found), given_tests, draw(st.integers(1, 4)))


few = settings(max_examples=80)


@few
@given(problems())
def test_greedy_is_a_cover_without_redundant_or_given_tests(problem: CoverProblem) -> None:
    """Every requirement stays satisfied, and no chosen test can be left out."""
    chosen = greedy(problem)
    assert is_cover(problem, chosen)
    assert len(set(chosen)) == len(chosen) <= problem.tests
    assert not bitset(chosen) & problem.given
    for test in chosen:
        assert not is_cover(problem, [other for other in chosen if other != test])


@few
@given(problems(), st.integers(1, 6))
def test_each_test_of_a_ranking_adds_most(problem: CoverProblem, most: int) -> None:
    """No test that was left adds more than the one taken, which leaves its rows an eighth."""
    whole = (1 << problem.tests) - 1
    left = weighed([(UNIT, problem.rows)], whole & ~problem.given, problem.given)
    assert sum(left.values()) <= UNIT
    picks = ranking(left, problem.tests, given=problem.given, most=most)
    free = {test for test in range(problem.tests) if not problem.given >> test & 1}
    for pick in picks:
        gains = {t: sum(weight for row, weight in left.items() if row >> t & 1) for t in free}
        assert pick.gain == gains[pick.test] == max(gains.values())
        free.remove(pick.test)
        left = {row: weight >> FADING * (row >> pick.test & 1) for row, weight in left.items()}
    assert len(picks) <= most


def test_the_only_further_test_is_taken_for_what_no_given_one_does() -> None:
    """A row that every free test satisfies chooses none of them before the others, but one."""
    for free in (0b10, 0b110):
        weights = weighed([(UNIT, [free, free | 1])], free, 0b1)
        first, *others = ranking(weights, free.bit_length(), given=0b1, most=9)
        assert first.test == 1
        assert all(pick.gain <= first.gain >> FADING for pick in others)


@few
@given(problems(), st.integers(1, 4))
def test_a_folded_problem_s_cover_is_k_fold(problem: CoverProblem, k: int) -> None:
    """Every row has k tests, or all it can have; never more tests than there are."""
    taken = bitset(greedy(replace(problem, want=k))) | problem.given
    for row in problem.rows:
        assert (row & taken).bit_count() >= min(k, row.bit_count())


@few
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(problem: CoverProblem, random: object) -> None:
    """The same matrix gives the same suite, however its rows are ordered."""
    rows = list(problem.rows)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert greedy(replace(problem, rows=tuple(rows))) == greedy(problem)


@few
@given(problems())
def test_merged_rows_are_covered_alike(problem: CoverProblem) -> None:
    """A cover of the distinct rows covers all rows that some, but not every, test satisfies."""
    chosen = greedy(distinct(problem))
    everything = (1 << problem.tests) - 1
    rows = tuple(row for row in problem.rows if row != everything)
    assert is_cover(replace(problem, rows=rows), chosen)


@few
@given(problems(), st.lists(st.integers(0, 8)))
@example(CoverProblem(5, (0b10100,), 0b00100, 2), [2, 4])  # a given test among the chosen
def test_pruning_any_choice_loses_nothing(problem: CoverProblem, some: list[int]) -> None:
    """Pruning takes a subset that covers each row as often as needed or as before."""
    chosen = [test for test in dict.fromkeys(some) if test < problem.tests]
    kept = prune(problem, chosen)
    assert set(kept) <= set(chosen)
    for row in problem.rows:
        before = (row & (bitset(chosen) | problem.given)).bit_count()
        after = (row & (bitset(kept) | problem.given)).bit_count()
        assert after >= min(problem.want, before)


@few
@given(st.lists(problems(), max_size=4), st.integers(1, 4), st.integers(0, 20))
def test_a_budget_is_kept_and_spent(many: list[CoverProblem], most: int, budget: int) -> None:
    """Never more tests than the budget, never fewer while a ranking offers more."""
    rankings = [
        ranking(weighed([(UNIT, each.rows)], (1 << each.tests) - 1, 0), each.tests, most=most)
        for each in many
    ]
    suites = allocate(rankings, budget=budget)
    assert sum(map(len, suites)) == min(budget, sum(map(len, rankings)))
    for suite, picks in zip(suites, rankings, strict=True):
        assert suite == tuple(pick.test for pick in picks)[: len(suite)]


@few
@given(problems())
def test_columns_turn_rows_over(problem: CoverProblem) -> None:
    """Row r holds test t exactly where column t holds row r."""
    table = columns(problem)
    assert len(table) == problem.tests
    for position, row in enumerate(problem.rows):
        assert members(row) == [t for t in range(problem.tests) if table[t] >> position & 1]
