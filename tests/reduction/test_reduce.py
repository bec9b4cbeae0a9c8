"""Set cover on matrices small enough to check by hand."""

from __future__ import annotations

from dataclasses import replace

from evalplus_lite.reduction.set_cover import CoverProblem, bitset, distinct, greedy


def problem(tests: int, *rows: list[int], given: list[int] | None = None) -> CoverProblem:
    return CoverProblem(tests, tuple(map(bitset, rows)), bitset(given or []))


def test_given_tests_are_credited() -> None:
    """What the given tests satisfy needs no other test."""
    assert greedy(problem(3, [0, 1], [2], given=[0])) == (2,)


def test_ties_go_to_the_test_with_rare_rows_then_to_the_smallest() -> None:
    """Of two tests that help as many rows, the one with rarer rows is taken; then the smaller."""
    assert greedy(problem(3, [0, 1, 2], [1, 2], [1])) == (1,)
    assert greedy(problem(4, [1, 2, 3])) == (1,)


def test_the_greedy_trap_is_pruned() -> None:
    """Where greedy takes three tests and two suffice, the first is dropped."""
    trap = problem(3, [0, 1], [0, 1], [0, 2], [0, 2], [1], [2])
    assert sorted(greedy(trap)) == [1, 2]


def test_folds_stop_at_what_exists() -> None:
    """A requirement that two tests satisfy is covered by both, however many folds are asked."""
    assert sorted(greedy(replace(problem(3, [0, 2]), want=5))) == [0, 2]


def test_rows_that_tell_nothing_are_left_out() -> None:
    """Equal rows are one; a row that every test, or none, satisfies is no requirement."""
    assert distinct(problem(2, [0], [0], [0, 1], [])).rows == (1,)
