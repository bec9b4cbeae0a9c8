"""Set cover over bitsets: small suites that satisfy the requirements of the large one.

A test is a number; a requirement is a *row*, the bitset of the tests that satisfy it (bit ``t`` is
set if test ``t`` does). ``given`` tests are in every suite and count for the rows they satisfy.
Each row *wants* a number of tests, or all of its tests if it has fewer: one is set cover, k a
k-fold cover.

Tests are chosen by the number of rows still short, then by the weight of all rows that they satisfy
(a row weighs the inverse of its number of tests, so that rare ones count most), then by the
smallest number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class CoverProblem:
    """A set-cover instance: the rows over ``tests`` tests; ``given`` are in every suite."""

    tests: int
    rows: tuple[int, ...]
    given: int = 0
    want: int = 1
    """The number of tests that each row needs."""


def bitset(tests: Iterable[int]) -> int:
    """Return the bitset of some tests."""
    bits = 0
    for test in tests:
        bits |= 1 << test
    return bits


def members(bits: int) -> list[int]:
    """Return the tests of a bitset, ascending."""
    tests = []
    while bits:
        low = bits & -bits
        tests.append(low.bit_length() - 1)
        bits ^= low
    return tests


def distinct(problem: CoverProblem) -> CoverProblem:
    """Return the problem without duplicate rows and without rows that no test, or every test,
    satisfies.

    A row that every test satisfies does not separate tests. Rows keep their order.
    """
    everything = (1 << problem.tests) - 1
    rows = dict.fromkeys(row for row in problem.rows if row and row != everything)
    return replace(problem, rows=tuple(rows))


def demands(problem: CoverProblem) -> list[int]:
    """Return, for each row, how many of its tests a cover must add to the given ones."""
    return [
        max(0, min(problem.want, row.bit_count()) - (row & problem.given).bit_count())
        for row in problem.rows
    ]


def columns(problem: CoverProblem) -> list[int]:
    """Return, for each test, the bitset of the rows it satisfies."""
    if not problem.rows:
        return [0] * problem.tests
    # Transposing text runs in C; the last row comes first, so that it is the highest bit.
    lines = [format(row, f"0{problem.tests}b") for row in reversed(problem.rows)]
    turned = [int("".join(bits), 2) for bits in zip(*lines, strict=True)]
    return turned[::-1][: problem.tests]


def greedy(problem: CoverProblem) -> tuple[int, ...]:
    """Return a cover without redundant tests, strongest test first.

    Greedy set cover (EvalPlus paper, section 2.2), then ``prune``. A given test is never returned.
    """
    # Tests that satisfy the same rows wait in one queue, smallest number first.
    table = columns(problem)
    queues: dict[int, list[int]] = {}
    for test in reversed(range(problem.tests)):
        if table[test] and not problem.given >> test & 1:
            queues.setdefault(table[test], []).append(test)
    share = [_UNIT // row.bit_count() if row else 0 for row in problem.rows]
    weight = {column: sum(share[row] for row in members(column)) for column in queues}
    order = sorted(queues, key=lambda column: (-weight[column], queues[column][-1]))
    missing = demands(problem)
    short = bitset(row for row, demand in enumerate(missing) if demand)
    # Gains only fall, so a column whose old gain is not above the best need not be recomputed.
    gains = {column: (column & short).bit_count() for column in order}
    taken: list[int] = []
    while short:
        best, most = 0, 0
        for column in order:
            if gains[column] > most:
                gains[column] = (column & short).bit_count()
                if gains[column] > most:
                    best, most = column, gains[column]
        taken.append(queues[best].pop())
        if not queues[best]:
            order.remove(best)
        for row in members(best & short):
            missing[row] -= 1
            if not missing[row]:
                short &= ~(1 << row)
    return prune(problem, taken)


def prune(problem: CoverProblem, chosen: Sequence[int]) -> tuple[int, ...]:
    """Return the chosen tests without given ones and those that the others make redundant.

    The last ones are tried first. Satisfied rows stay satisfied; other rows keep their counts.
    """
    table = columns(problem)
    kept = [test for test in dict.fromkeys(chosen) if not problem.given >> test & 1]
    taken = bitset(kept)
    needed = [
        min(demand, (row & taken).bit_count())
        for row, demand in zip(problem.rows, demands(problem), strict=True)
    ]
    spare = [
        (row & taken).bit_count() - need for row, need in zip(problem.rows, needed, strict=True)
    ]
    for test in reversed(tuple(kept)):
        # A row that needs nothing more cannot keep a test.
        own = [position for position in members(table[test]) if needed[position]]
        if all(spare[position] > 0 for position in own):
            kept.remove(test)
            for position in own:
                spare[position] -= 1
    return tuple(kept)


_UNIT = 1 << 64
"""The weight of a row with one test; integers, so that rounding cannot decide a tie."""
