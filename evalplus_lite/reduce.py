"""Small suites that keep what the large one achieves: set cover over bitsets, pure.

A test is a number; a requirement is a *row*, the bitset of the tests that satisfy it (bit ``t`` is
set when test ``t`` does). ``given`` tests are in every suite: what they satisfy is credited to
them. In a ``folds``-fold cover a row must be satisfied by that many tests, or by all of its tests
where it has fewer.

Ties are broken the same way every time: the greatest number of rows still short, then the
greatest weight of all rows that a test satisfies (a row weighs the inverse of its number of tests,
so that rare ones count most), then the smallest number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Which of ``tests`` tests satisfy which requirements; ``given`` are in every suite."""

    tests: int
    rows: tuple[int, ...]
    given: int = 0

    def __post_init__(self) -> None:
        """Refuse bits that stand for no test."""
        everything = (1 << self.tests) - 1
        for bits in (*self.rows, self.given):
            if bits < 0 or bits & ~everything:
                raise ValueError(f"a row names tests beyond the {self.tests} there are")


@dataclass(frozen=True, slots=True)
class Pick:
    """One test of a ranking, the fold it was taken for, and how many rows it helped."""

    test: int
    layer: int
    gain: int


def bitset(tests: Iterable[int]) -> int:
    """Return the bitset of some tests."""
    bits = 0
    for test in tests:
        bits |= 1 << test
    return bits


def members(bits: int) -> list[int]:
    """Return the tests of a bitset, ascending."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def distinct(problem: Problem) -> Problem:
    """Return the problem with equal rows once and rows that nothing, or everything, meets left out.

    A requirement that every test meets tells no test from another: any suite of one test has it.
    The order of first appearance is kept.
    """
    everything = (1 << problem.tests) - 1
    rows = tuple(row for row in dict.fromkeys(problem.rows) if row and row != everything)
    return Problem(problem.tests, rows, problem.given)


def demands(problem: Problem, *, folds: int = 1) -> list[int]:
    """Return, a row, how many of its tests a ``folds``-fold cover adds to the given ones."""
    if folds < 1:
        raise ValueError(f"folds is {folds}; a cover takes each requirement at least once")
    return [
        max(0, min(folds, row.bit_count()) - (row & problem.given).bit_count())
        for row in problem.rows
    ]


def is_cover(problem: Problem, chosen: Iterable[int], *, folds: int = 1) -> bool:
    """Whether the given and the chosen tests together are a ``folds``-fold cover."""
    taken = bitset(chosen) & ~problem.given
    return all(
        (row & taken).bit_count() >= demand
        for row, demand in zip(problem.rows, demands(problem, folds=folds), strict=True)
    )


def columns(problem: Problem) -> list[int]:
    """Return, a test, the bitset of the rows it satisfies."""
    if not problem.rows:
        return [0] * problem.tests
    # Turning text over is done in C; the last row comes first so that it is the highest bit.
    lines = [format(row, f"0{problem.tests}b") for row in reversed(problem.rows)]
    turned = [int("".join(bits), 2) for bits in zip(*lines, strict=True)]
    return turned[::-1][: problem.tests]


def greedy(problem: Problem, *, folds: int = 1) -> tuple[int, ...]:
    """Return a ``folds``-fold cover without redundant tests, strongest test first.

    Greedy set cover (EvalPlus paper, section 2.2), then ``prune``. A given test is never returned.
    """
    state = _Greedy(problem)
    state.raise_to(folds)
    return prune(problem, [pick.test for pick in state.picks], folds=folds)


def ranking(problem: Problem, *, folds: int) -> tuple[Pick, ...]:
    """Return tests in the order to take them: a cover first, then a second one, up to ``folds``.

    Each prefix is a suite; after the last pick of layer ``k`` it is a ``k``-fold cover.
    """
    state = _Greedy(problem)
    for layer in range(1, folds + 1):
        state.raise_to(layer)
    return tuple(state.picks)


def allocate(rankings: Sequence[Sequence[Pick]], *, budget: int) -> list[tuple[int, ...]]:
    """Return, a task, the tests that a budget for all tasks together buys, strongest first.

    Layers are bought in order, and within a layer the picks of greatest gain; equal ones by the
    task's position. At most ``budget`` tests are taken in all.
    """
    offers = sorted(
        (pick.layer, -pick.gain, task, position)
        for task, picks in enumerate(rankings)
        for position, pick in enumerate(picks)
    )
    taken = [0] * len(rankings)
    for _, _, task, _ in offers[: max(0, budget)]:
        taken[task] += 1
    # Gains fall within a layer, so what was bought of a task is a prefix of its ranking.
    return [
        tuple(pick.test for pick in picks[:count])
        for picks, count in zip(rankings, taken, strict=True)
    ]


def prune(problem: Problem, chosen: Sequence[int], *, folds: int = 1) -> tuple[int, ...]:
    """Return the chosen tests without those that the others make redundant.

    The last taken are tried first. What the chosen tests covered ``folds``-fold stays so covered;
    what they covered less often stays covered as often.
    """
    table = columns(problem)
    taken = bitset(chosen)
    needed = [
        min(demand, (row & taken).bit_count())
        for row, demand in zip(problem.rows, demands(problem, folds=folds), strict=True)
    ]
    spare = [
        (row & taken).bit_count() - need for row, need in zip(problem.rows, needed, strict=True)
    ]
    kept = list(dict.fromkeys(chosen))
    for test in reversed(tuple(kept)):
        # A row that needs nothing more cannot keep a test.
        own = [position for position in members(table[test]) if needed[position]]
        if all(spare[position] > 0 for position in own):
            kept.remove(test)
            for position in own:
                spare[position] -= 1
    return tuple(kept)


class _Greedy:
    """A greedy cover under way; raising the folds goes on from the tests already taken.

    Tests that satisfy the same rows wait in one queue, smallest number first.
    """

    def __init__(self, problem: Problem) -> None:
        self.rows = problem.rows
        table = columns(problem)
        self.queues: dict[int, list[int]] = {}
        for test in reversed(range(problem.tests)):
            if table[test] and not problem.given >> test & 1:
                self.queues.setdefault(table[test], []).append(test)
        share = [_UNIT // row.bit_count() if row else 0 for row in problem.rows]
        weight = {column: sum(share[row] for row in members(column)) for column in self.queues}
        self.order = sorted(
            self.queues, key=lambda column: (-weight[column], self.queues[column][-1])
        )
        self.covered = [(row & problem.given).bit_count() for row in problem.rows]
        self.picks: list[Pick] = []

    def raise_to(self, folds: int) -> None:
        """Take tests until every row is covered ``folds`` times, or by all of its tests."""
        limit = [min(folds, row.bit_count()) for row in self.rows]
        short = bitset(i for i, most in enumerate(limit) if self.covered[i] < most)
        # Gains only fall, so a column whose old gain is not above the best found needs no new look.
        gains = {column: (column & short).bit_count() for column in self.order}
        while short:
            best, most = 0, 0
            for column in self.order:
                if gains[column] > most:
                    gains[column] = (column & short).bit_count()
                    if gains[column] > most:
                        best, most = column, gains[column]
            queue = self.queues[best]
            self.picks.append(Pick(queue.pop(), folds, most))
            if not queue:
                self.order.remove(best)
            for position in members(best):
                self.covered[position] += 1
                if self.covered[position] == limit[position]:
                    short &= ~(1 << position)


_UNIT = 1 << 64
"""One, as the weights count it: integers, so that no rounding decides a tie."""
