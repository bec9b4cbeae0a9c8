"""Policies for choosing small suites."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reduction.requirements import MODES, Matrix, Requirement
from evalplus_lite.reduction.set_cover import CoverProblem, columns, distinct, greedy, members

UNIT = 1 << 60
"""The weight of certainty, in integers."""
FADING = 3
"""Each further test that satisfies a row counts an eighth of the one before (docs/measurements)."""
SIZE = 8.0
"""Default mean number of plus cases a task."""


class Pick(NamedTuple):
    """A test in a ranking, and its gain over earlier ones, as a fraction of ``UNIT``."""

    test: int
    gain: int


def weighed(groups: Iterable[tuple[int, Iterable[int]]], free: int, given: int) -> dict[int, int]:
    """Return the weight of each row, given groups of rows and their shares of ``UNIT``.

    Equal rows of a group count once, and all rows of a group get equal shares. ``free`` are the
    tests to choose from, ``given`` those that every suite has. A row has no weight if no free test
    satisfies it, or if all of them and a given one do. If all free tests satisfy it but no given
    one, it does not separate them, but is still worth having.
    """
    weights: dict[int, int] = {}
    for share, rows in groups:
        useful = (row for row in rows if row & free and (free & ~row or not row & given))
        unique = dict.fromkeys(useful)
        for row in unique:
            weights[row] = weights.get(row, 0) + share // len(unique)
    return weights


def ranking(
    weights: Mapping[int, int], tests: int, *, given: int = 0, most: int
) -> tuple[Pick, ...]:
    """Return up to ``most`` tests in order of gain, while each adds something.

    ``given`` tests are in every suite. They are never returned, and do not reduce a row's weight:
    programs that pass them may still fail on similar tests. Ties go to the smallest number.
    """
    rows = tuple(weights)
    left = list(weights.values())
    alike: dict[int, list[int]] = {}
    for test, column in enumerate(columns(CoverProblem(tests, rows))):
        if column and not given >> test & 1:
            alike.setdefault(column, []).append(test)
    places = [members(column) for column in alike]
    queues = [queue[::-1] for queue in alike.values()]
    # Gains only fall, so one that is still the greatest after recomputation is the greatest of all.
    offers = [
        (-sum(left[row] for row in places[number]), queue[-1], number)
        for number, queue in enumerate(queues)
    ]
    heapq.heapify(offers)
    picks: list[Pick] = []
    while offers and len(picks) < most:
        _, test, number = offers[0]
        offer = -sum(left[row] for row in places[number]), test, number
        if offer != offers[0]:
            heapq.heapreplace(offers, offer)
            continue
        if not offer[0]:
            break
        picks.append(Pick(queues[number].pop(), -offer[0]))
        for row in places[number]:
            left[row] >>= FADING
        if queues[number]:
            heapq.heapreplace(offers, (offer[0], queues[number][-1], number))
        else:
            heapq.heappop(offers)
    return tuple(picks)


def allocate(rankings: Sequence[Sequence[Pick]], *, budget: int) -> list[tuple[int, ...]]:
    """Return, for each task, the tests chosen within a budget for all tasks, strongest first.

    The ``budget`` picks with the greatest gains are chosen; ties go to the earlier task.
    """
    offers = sorted((-pick.gain, task) for task, picks in enumerate(rankings) for pick in picks)
    taken = [0] * len(rankings)
    for _, task in offers[: max(0, budget)]:
        taken[task] += 1
    # Gains fall within a ranking, so the chosen cases of a task are a prefix of it.
    return [
        tuple(pick.test for pick in picks[:count])
        for picks, count in zip(rankings, taken, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Policy:
    """The requirements that a small suite must preserve.

    ``mode`` names the kinds of requirement (``MODES``). The cases with the greatest gains are
    chosen, up to a mean of ``budget`` plus cases a task (default: ``SIZE``). With ``multiplicity``,
    suites are covers: each requirement is satisfied by this many cases, base cases included.
    """

    mode: str = "full"
    multiplicity: int | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        """Reject an invalid policy."""
        if self.mode not in MODES:
            raise InputError(f"no mode named {self.mode!r}", remedy=one_of(self.mode, MODES))
        if self.multiplicity is not None and self.multiplicity < 1:
            raise InputError(
                f"a multiplicity of {self.multiplicity}", remedy="at least 1 is needed"
            )
        if self.budget is not None and not 0 <= self.budget < math.inf:
            raise InputError(f"a budget of {self.budget}", remedy="0 or more cases a task")
        if self.budget is not None and self.multiplicity is not None:
            raise InputError(
                f"both a multiplicity of {self.multiplicity} and a budget of {self.budget:g}",
                remedy="give --multiplicity or --budget: each alone decides the size",
            )

    @property
    def wants(self) -> dict[str, int]:
        """The number of cases that must satisfy a requirement of each kind; empty unless suites are
        covers.
        """
        return dict.fromkeys(MODES[self.mode], self.multiplicity) if self.multiplicity else {}

    @property
    def size(self) -> float:
        """The mean number of plus cases a task, unless suites are covers."""
        return SIZE if self.budget is None else self.budget


class Choice(NamedTuple):
    """The plus cases chosen for a task, by number in its suite, strongest first."""

    task_id: str
    cases: tuple[int, ...]


Without = Mapping[str, Collection[Requirement]]


def choose(
    matrices: Sequence[Matrix], policy: Policy, *, without: Without | None = None
) -> tuple[Choice, ...]:
    """Return a choice for each task, in order, ignoring the requirements in ``without``."""
    without = without or {}
    if policy.multiplicity is not None:
        suites = [greedy(_cover(each, policy, without.get(each.task_id, ()))) for each in matrices]
    else:
        rankings = [_ranking(each, policy, without.get(each.task_id, ())) for each in matrices]
        suites = allocate(rankings, budget=round(policy.size * len(matrices)))
    return tuple(
        Choice(matrix.task_id, suite) for matrix, suite in zip(matrices, suites, strict=True)
    )


def _rows(matrix: Matrix, policy: Policy, without: Collection[Requirement]) -> dict[str, list[int]]:
    """Return the rows of the policy's kinds, by kind."""
    rows: dict[str, list[int]] = {kind: [] for kind in MODES[policy.mode]}
    for requirement, row in matrix.rows.items():
        if requirement.kind in rows and requirement not in without:
            rows[requirement.kind].append(row)
    return rows


def _ranking(matrix: Matrix, policy: Policy, without: Collection[Requirement]) -> tuple[Pick, ...]:
    rows = _rows(matrix, policy, without)
    given = (1 << matrix.base_count) - 1
    free = ((1 << matrix.count) - 1) & ~given
    return ranking(
        weighed(((UNIT // len(rows), some) for some in rows.values()), free, given),
        matrix.count,
        given=given,
        most=math.ceil(4 * policy.size),
    )


def _cover(matrix: Matrix, policy: Policy, without: Collection[Requirement]) -> CoverProblem:
    """Return the policy's cover problem, without duplicate rows and rows of all cases."""
    rows = [row for some in _rows(matrix, policy, without).values() for row in some]
    given = (1 << matrix.base_count) - 1
    return distinct(CoverProblem(matrix.count, tuple(rows), given, policy.multiplicity or 1))
