"""The smallest cover, proved, by HiGHS: the only user of ``highspy`` (the extra ``exact``)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.reduction.lower_bound import core, lower_bound
from evalplus_lite.reduction.set_cover import Problem, greedy, members


@dataclass(frozen=True, slots=True)
class Solution:
    """A cover and what is known of the smallest: ``bound`` <= smallest <= ``len(tests)``."""

    tests: tuple[int, ...]
    bound: int


def is_available() -> bool:
    """Whether the extra ``exact`` is installed."""
    return find_spec("highspy") is not None


MOST_NODES = 1000
"""Of HiGHS's search tree: a bound that every machine reaches at the same place. The problems of
whole data sets need one."""
FAR_OFF_SECONDS = 600.0


def smallest(problem: Problem) -> Solution:
    """Return the smallest cover, or the best known after ``MOST_NODES`` of the search.

    The core goes to HiGHS as an integer program with one thread and a fixed seed. Raises
    InputError where the extra is not installed.
    """
    if not is_available():
        raise InputError(
            "an exact cover needs HiGHS, which is not installed",
            remedy="install evalplus-lite[exact], or leave --exact out",
        )
    settled = core(problem)
    if not settled.rows:
        return Solution(settled.forced, len(settled.forced))
    chosen, bound = _solve(settled.tests, settled.rows, settled.needs)
    fallback = greedy(problem)
    bound = max(len(settled.forced) + bound, lower_bound(problem))
    if chosen is None or len(settled.forced) + len(chosen) >= len(fallback):
        return Solution(fallback, min(bound, len(fallback)))
    return Solution(tuple(sorted(settled.forced + chosen)), bound)


def _solve(
    tests: tuple[int, ...], rows: tuple[int, ...], needs: tuple[int, ...]
) -> tuple[tuple[int, ...] | None, int]:
    """Return the tests HiGHS takes (None: it found none) and its proved bound."""
    import highspy

    highs: Any = highspy  # typed in parts only
    solver = highs.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    solver.setOptionValue("mip_max_nodes", MOST_NODES)
    solver.setOptionValue("time_limit", FAR_OFF_SECONDS)
    place = {test: number for number, test in enumerate(tests)}
    for number in range(len(tests)):
        solver.addVar(0.0, 1.0)
        solver.changeColCost(number, 1.0)
        solver.changeColIntegrality(number, highs.HighsVarType.kInteger)
    infinity = solver.getInfinity()
    for row, need in zip(rows, needs, strict=True):
        places = [place[test] for test in members(row)]
        solver.addRow(float(need), infinity, len(places), places, [1.0] * len(places))
    solver.run()
    # The bound is a float near an integer; the slack keeps rounding from claiming one too many.
    bound = solver.getInfo().mip_dual_bound
    proved = 0 if bound <= 0 or bound == infinity else int(-(-(bound - 1e-6) // 1))
    values = list(solver.getSolution().col_value)
    chosen = tuple(test for test in tests if values and values[place[test]] > 0.5)
    met = all(
        sum(1 for test in chosen if row >> test & 1) >= need
        for row, need in zip(rows, needs, strict=True)
    )
    return (chosen if met else None), proved
