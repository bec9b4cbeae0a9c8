"""How small a cover can be: what must be taken, what can be left out, and a proved lower bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from evalplus_lite.reduction.set_cover import Problem, bitset, columns, demands, members


@dataclass(frozen=True, slots=True)
class Core:
    """What is left of a problem when all that is certain is settled.

    An optimal cover is ``forced`` together with an optimal cover of the core, in which
    ``rows[i]``, a bitset over the original tests, needs ``needs[i]`` tests out of ``tests``.
    """

    forced: tuple[int, ...]
    tests: tuple[int, ...]
    rows: tuple[int, ...]
    needs: tuple[int, ...]


def core(problem: Problem) -> Core:
    """Return the core of a problem: what no rule below settles.

    Three rules are applied until none applies: a row that needs all of its tests forces them; a
    row that another one implies (fewer tests, at least the need) goes; a test goes when as many
    others as the greatest need each satisfy at least its rows.
    """
    pairs = zip(problem.rows, demands(problem), strict=True)
    needs: dict[int, int] = {}
    for row, need in pairs:
        free = row & ~problem.given
        if need:
            needs[free] = max(need, needs.get(free, 0))
    forced = 0
    while True:
        must = 0
        for row, need in needs.items():
            if row.bit_count() == need:
                must |= row
        if must:
            forced |= must
            needs = _without(needs, must)
            continue
        needs = _undominated_rows(needs)
        gone = _dominated_tests(problem.tests, needs)
        if not gone:
            break
        merged: dict[int, int] = {}
        for row, need in needs.items():
            merged[row & ~gone] = max(need, merged.get(row & ~gone, 0))
        needs = merged
    left = 0
    for row in needs:
        left |= row
    return Core(tuple(members(forced)), tuple(members(left)), tuple(needs), tuple(needs.values()))


def lower_bound(problem: Problem) -> int:
    """Return a size that no cover is below: forced tests plus a dual solution.

    The dual of the linear relaxation: each row may charge its tests, no test more than one in
    all; the sum of need times charge is then a bound. Charges are raised row by row, twice, once
    with short rows first and once with rows that meet few others first; the better is taken.
    """
    settled = core(problem)
    if not settled.rows:
        return len(settled.forced)
    indexed = list(zip(settled.rows, settled.needs, strict=True))
    by_size = sorted(indexed, key=lambda pair: (pair[0].bit_count(), -pair[1], pair[0]))
    meets = {row: sum(1 for other in settled.rows if other & row) for row in settled.rows}
    by_meets = sorted(indexed, key=lambda pair: (Fraction(meets[pair[0]], pair[1]), pair[0]))
    best = max(_ascend(by_size), _ascend(by_meets), Fraction(max(settled.needs)))
    return len(settled.forced) + -(-best.numerator // best.denominator)


def _ascend(rows: list[tuple[int, int]]) -> Fraction:
    """Return the value of the dual solution that raising each row's charge in turn leads to."""
    charged: dict[int, Fraction] = {}
    total = Fraction(0)
    for row, need in rows:
        tests = members(row)
        room = min(1 - charged.get(test, Fraction(0)) for test in tests)
        if room > 0:
            total += need * room
            for test in tests:
                charged[test] = charged.get(test, Fraction(0)) + room
    return total


def _without(needs: dict[int, int], taken: int) -> dict[int, int]:
    """Return what is still needed once these tests are taken."""
    left: dict[int, int] = {}
    for row, need in needs.items():
        rest = need - (row & taken).bit_count()
        if rest > 0:
            free = row & ~taken
            left[free] = max(rest, left.get(free, 0))
    return left


def _undominated_rows(needs: dict[int, int]) -> dict[int, int]:
    """Return the rows that no other row implies."""
    kept: dict[int, int] = {}
    for row, need in sorted(needs.items(), key=lambda item: (item[0].bit_count(), item[0])):
        if not any(other & ~row == 0 and most >= need for other, most in kept.items()):
            kept[row] = need
    return kept


def _dominated_tests(tests: int, needs: dict[int, int]) -> int:
    """Return the tests that an optimal cover can do without."""
    if not needs:
        return 0
    most = max(needs.values())
    table = columns(Problem(tests, tuple(needs)))
    groups: dict[int, list[int]] = {}
    for test, column in enumerate(table):
        if column:
            groups.setdefault(column, []).append(test)
    gone: list[int] = []
    better: list[tuple[int, int]] = []
    for column, same in sorted(groups.items(), key=lambda item: (-item[0].bit_count(), item[1])):
        # Every dominator counted here is itself kept, so leaving tests out one by one stays sound.
        above = sum(count for other, count in better if column & ~other == 0)
        keep = max(0, most - above)
        gone += same[keep:]
        if keep:
            better.append((column, min(keep, len(same))))
    return bitset(gone)
