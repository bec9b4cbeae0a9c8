"""Choosing small suites for a set of tasks, by a policy, and what is known of the smallest."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reduction.exact import smallest
from evalplus_lite.reduction.lower_bound import lower_bound
from evalplus_lite.reduction.set_cover import Problem, distinct, greedy, is_cover, ranking
from evalplus_lite.reduction.set_cover import allocate as _allocate
from evalplus_lite.requirements.matrix import Matrix
from evalplus_lite.requirements.registry import KINDS, MODES
from evalplus_lite.types import Requirement

LAYERS = 64
"""A budget is spent on rankings that go this far."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a small suite must keep.

    ``mode`` names the kinds of requirement (``MODES``). Each is kept by ``multiplicity`` cases,
    the base cases counted; None takes that of its kind (``KINDS``). With ``budget``, plus cases a
    task on average over all tasks, suites of that size are chosen instead (smaller ones if no
    more cases help).
    """

    mode: str = "full"
    multiplicity: int | None = None
    budget: float | None = None

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
        """How many cases a requirement of each kind is to be kept by."""
        return {kind: self.multiplicity or KINDS[kind].multiplicity for kind in MODES[self.mode]}


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


def cover_problem(
    matrix: Matrix, wants: Mapping[str, int], *, without: Collection[Requirement] = ()
) -> Problem:
    """Return the set cover problem of some kinds of a matrix's requirements, base cases given.

    ``wants`` says how many cases each requirement of a kind is to have. Equal rows are one, and
    rows that every case satisfies are left out.
    """
    chosen = [
        (row, wants[requirement.kind])
        for requirement, row in matrix.rows.items()
        if requirement.kind in wants and requirement not in without
    ]
    given = (1 << matrix.base_count) - 1
    rows, needs = tuple(row for row, _ in chosen), tuple(want for _, want in chosen)
    return distinct(Problem(matrix.count, rows, given, needs))


def choose(
    matrices: Sequence[Matrix], policy: Policy, *, without: Without | None = None
) -> tuple[Choice, ...]:
    """Return a choice a task, in order; requirements in ``without`` (by task) are not looked at."""
    without = without or {}
    problems = [
        cover_problem(matrix, policy.wants, without=without.get(matrix.task_id, ()))
        for matrix in matrices
    ]
    if policy.budget is None:
        suites = [greedy(problem) for problem in problems]
    else:
        rankings = [ranking(problem, layers=LAYERS) for problem in problems]
        suites = _allocate(rankings, budget=round(policy.budget * len(matrices)))
    return tuple(
        Choice(matrix.task_id, suite) for matrix, suite in zip(matrices, suites, strict=True)
    )


def bounded(
    matrices: Sequence[Matrix], policy: Policy, choices: Sequence[Choice], *, exact: bool
) -> tuple[Choice, ...]:
    """Return the choices with a lower bound each, by HiGHS where ``exact``, else by duality.

    With ``exact`` a choice that HiGHS beats is replaced by the smaller suite.
    """
    if policy.budget is not None:
        return tuple(choices)
    found = []
    for matrix, choice in zip(matrices, choices, strict=True):
        problem = cover_problem(matrix, policy.wants)
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
