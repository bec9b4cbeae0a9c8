"""Choosing small suites for a set of tasks, by a policy, and what is known of the smallest."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reduction.detection import UNIT, Pick, allocate, ranking, weighed
from evalplus_lite.reduction.exact import smallest
from evalplus_lite.reduction.lower_bound import lower_bound
from evalplus_lite.reduction.set_cover import Problem, bitset, distinct, greedy, is_cover
from evalplus_lite.requirements.matrix import Matrix, Requirement
from evalplus_lite.requirements.registry import KINDS, MODES

LEAST = UNIT // 190
"""What a case has to add to be chosen where nothing else is asked for (docs/measurements)."""
MOST = 64
"""Cases a task at most where a smaller budget, or none, is given."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a small suite must keep.

    ``mode`` names the kinds of requirement (``MODES``). Cases are chosen by what they are expected
    to find (``detection``), as long as each adds enough, or up to ``budget``, plus cases a task on
    average over all tasks. With ``multiplicity`` suites are covers: each requirement is satisfied
    by so many cases, the base cases counted. Cases that a task's contract refuses count for
    nothing, unless ``refused``: then as others do.
    """

    mode: str = "full"
    multiplicity: int | None = None
    budget: float | None = None
    refused: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no policy."""
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
                remedy="give --multiplicity or --budget: each decides the size by itself",
            )

    @property
    def wants(self) -> dict[str, int]:
        """How many cases a cover has for a requirement of each kind; empty if it is to be none."""
        return dict.fromkeys(MODES[self.mode], self.multiplicity) if self.multiplicity else {}

    def credited(self, matrix: Matrix) -> int:
        """Return the cases that count, as a bitset."""
        every = (1 << matrix.count) - 1
        return every if self.refused else every & ~matrix.refused


@dataclass(frozen=True, slots=True)
class Choice:
    """The plus cases chosen for a task, by number in its suite, strongest first.

    ``bound`` <= the size of the smallest suite that keeps as much; None where a budget and not a
    cover decided the size.
    """

    task_id: str
    cases: tuple[int, ...]
    bound: int | None = None


Without = Mapping[str, Collection[Requirement]]


def choose(
    matrices: Sequence[Matrix], policy: Policy, *, without: Without | None = None
) -> tuple[Choice, ...]:
    """Return a choice a task, in order; requirements in ``without`` (by task) are not looked at."""
    without = without or {}
    if policy.multiplicity is not None:
        suites = [
            greedy(_cover(each, policy, without=without.get(each.task_id, ()))) for each in matrices
        ]
    else:
        rankings = [_ranking(each, policy, without.get(each.task_id, ())) for each in matrices]
        budget = sum(map(len, rankings))
        if policy.budget is not None:
            budget = round(policy.budget * len(matrices))
        suites = allocate(rankings, budget=budget)
    return tuple(
        Choice(matrix.task_id, suite) for matrix, suite in zip(matrices, suites, strict=True)
    )


def _rows(
    matrix: Matrix, policy: Policy, without: Collection[Requirement] = ()
) -> dict[str, list[int]]:
    """Return, a kind, the rows that a choice is made by, of the cases that count."""
    credited = policy.credited(matrix)
    found: dict[str, list[int]] = {kind: [] for kind in MODES[policy.mode]}
    for requirement, row in matrix.rows.items():
        if requirement.kind in found and requirement not in without:
            found[requirement.kind].append(row & credited)
    return found


def _ranking(matrix: Matrix, policy: Policy, without: Collection[Requirement]) -> tuple[Pick, ...]:
    rows = _rows(matrix, policy, without)
    all_shares = sum(KINDS[kind].share for kind in rows)
    shares = ((UNIT * KINDS[kind].share // all_shares, some) for kind, some in rows.items())
    given = (1 << matrix.base_count) - 1
    free = policy.credited(matrix) & ~given
    return ranking(
        weighed(shares, free, given),
        matrix.count,
        given=given,
        least=LEAST if policy.budget is None else 1,
        most=max(MOST, math.ceil(4 * (policy.budget or 0))),
    )


def _cover(
    matrix: Matrix,
    policy: Policy,
    chosen: int = 0,
    *,
    without: Collection[Requirement] = (),
) -> Problem:
    """Return the problem of a cover by the policy, or else of keeping as much as was ``chosen``.

    Equal rows are one, and rows that every case satisfies are left out.
    """
    given = (1 << matrix.base_count) - 1
    rows = [row for some in _rows(matrix, policy, without).values() for row in some]
    wants = [policy.multiplicity or (row & (given | chosen)).bit_count() for row in rows]
    pairs = [(row, want) for row, want in zip(rows, wants, strict=True) if want]
    return distinct(
        Problem(matrix.count, tuple(row for row, _ in pairs), given, tuple(n for _, n in pairs))
    )


def bounded(
    matrices: Sequence[Matrix], policy: Policy, choices: Sequence[Choice], *, exact: bool
) -> tuple[Choice, ...]:
    """Return the choices with a lower bound each, by HiGHS where ``exact``, else by duality.

    It is that of suites that satisfy each requirement as often. With ``exact`` a choice that HiGHS
    beats is replaced by the smaller suite.
    """
    if policy.budget is not None:
        return tuple(choices)
    found = []
    for matrix, choice in zip(matrices, choices, strict=True):
        problem = _cover(matrix, policy, bitset(choice.cases))
        assert is_cover(problem, choice.cases)
        if not exact:
            found.append(Choice(choice.task_id, choice.cases, lower_bound(problem)))
            continue
        solution = smallest(problem)
        better = solution.tests if len(solution.tests) < len(choice.cases) else choice.cases
        found.append(Choice(choice.task_id, better, solution.bound))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a reduction is over all tasks, and how far from the smallest at most."""

    tasks: int
    base: int
    chosen: int
    bound: int | None

    @classmethod
    def of(cls, matrices: Sequence[Matrix], choices: Sequence[Choice]) -> Size:
        """Add up."""
        bounds = [choice.bound for choice in choices]
        known = [bound for bound in bounds if bound is not None]
        return cls(
            len(matrices),
            sum(matrix.base_count for matrix in matrices),
            sum(len(choice.cases) for choice in choices),
            sum(known) if len(known) == len(bounds) else None,
        )

    @property
    def gap(self) -> float | None:
        """By which part of the bound the chosen suites may be larger than the smallest."""
        if self.bound is None:
            return None
        return (self.chosen - self.bound) / self.bound if self.bound else 0.0
