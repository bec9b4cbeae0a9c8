"""What a small suite is made from, task by task: its cover matrix, a choice, and the survivors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.grading.subsets import relinked, taken
from evalplus_lite.mutation.mutants import Mutant
from evalplus_lite.pipelines.work.expected import found_evidence, source_of
from evalplus_lite.pipelines.work.staging import staged, suite_row
from evalplus_lite.programs import program_key
from evalplus_lite.reduction.policy import Choice, Policy, bounded, choose
from evalplus_lite.requirements.matrix import Matrix, Requirement, build
from evalplus_lite.requirements.registry import Subject
from evalplus_lite.requirements.survivors import Fate, Report, report
from evalplus_lite.types import Suite


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """Where suites come from, the kinds of requirement, and by which policy to choose at once.

    Without ``policy`` nothing is chosen; ``exact`` is as in ``policy.bounded``.
    """

    source: Row
    kinds: tuple[str, ...]
    policy: Policy | None = None
    exact: bool = False

    def to_row(self) -> Row:
        """Return it as plain data."""
        policy = None if self.policy is None else astuple(self.policy)
        return self.source, self.kinds, policy, self.exact

    @classmethod
    def of_row(cls, row: Row) -> MeasureSettings:
        """Return what ``to_row`` made a row of."""
        source, kinds, policy, exact = row
        return cls(source, kinds, None if policy is None else Policy(*policy), exact)


def measuring(place: Place, settings: Row) -> Work:
    """Of (staged task, programs, contract), what its suite rests on, and (the positions of the
    suite's cases among the task's, the matrix, the choice with the small suite, or None)."""
    chosen = MeasureSettings.of_row(settings)
    source = source_of(chosen.source)
    folder = None if source.cache is None else source.cache / "requirements"

    def measure(item: Row) -> Row:
        ref, programs, contract = item
        task, given = staged(place, ref)
        try:
            answers = source.usable(place.sandbox, task, given, needs_reference=True)
        except UnusableTask:
            return found_evidence(source, task.id), None
        suite, kept = answers.suite, None if given else answers.kept
        known = {program_key(program): program for program in programs}
        subject = Subject(task, suite, known, contract)
        matrix = build(place.sandbox, subject, cache=folder, kinds=chosen.kinds)
        small = None
        if chosen.policy is not None:
            choices = choose([matrix], chosen.policy)
            (choice,) = bounded([matrix], chosen.policy, choices, exact=chosen.exact)
            small = astuple(choice), suite_row(reduced(suite, choice.cases))
        return found_evidence(source, task.id), (kept, matrix_row(matrix), small)

    return measure


def reducing(place: Place, settings: Row) -> Work:
    """Of (staged task, chosen cases), the suite of the base cases and these."""
    source = source_of(settings)

    def reduce(item: Row) -> Row:
        ref, cases = item
        suite = source.usable(place.sandbox, *staged(place, ref)).suite
        return suite_row(reduced(suite, cases))

    return reduce


def surviving(place: Place, settings: Row) -> Work:
    """Of (staged task, matrix of its mutants), the mutation report."""
    source = source_of(settings)

    def survive(item: Row) -> Row:
        ref, matrix = item
        task, given = staged(place, ref)
        suite = source.usable(place.sandbox, task, given).suite
        found = report(place.sandbox, task, suite, matrix_of(matrix))
        fates = [(astuple(each.mutant), each.killed, each.reached) for each in found.fates]
        return found.task_id, found.source, found.cases, found.base, fates

    return survive


def report_of(row: Row) -> Report:
    """Return the report that work handed on as plain data."""
    task_id, source, cases, base, fates = row
    found = (Fate(Mutant(*mutant), killed, reached) for mutant, killed, reached in fates)
    return Report(task_id, source, tuple(cases), base, tuple(found))


def choice_of(row: Row) -> Choice:
    """Return the choice that work handed on as plain data."""
    return Choice(*row)


def matrix_row(matrix: Matrix) -> Row:
    """Return a matrix as plain data."""
    rows = [(each.kind, each.key, bits) for each, bits in matrix.rows.items()]
    unsatisfied = [(each.kind, each.key) for each in matrix.unsatisfied]
    return matrix.task_id, matrix.count, matrix.base_count, rows, unsatisfied, matrix.refused


def matrix_of(row: Row) -> Matrix:
    """Return the matrix of a ``matrix_row``."""
    task_id, count, base_count, rows, unsatisfied, refused = row
    return Matrix(
        task_id,
        count,
        base_count,
        {Requirement(kind, key): bits for kind, key, bits in rows},
        tuple(Requirement(*each) for each in unsatisfied),
        refused,
    )


def reduced(suite: Suite, cases: Sequence[int]) -> Suite:
    """Return the suite of the base cases and the chosen ones, in the suite's order.

    A case whose parent was not chosen has none. Stress cases, which are few and no part of what is
    chosen from, are kept as they are.
    """
    kept = [*range(suite.base_count), *sorted(cases)]
    small = taken(suite, kept)
    provenance = {**suite.provenance, "reduced_from": len(suite.cases)}
    linked = relinked(small.cases, kept)
    return replace(small, cases=linked, provenance=provenance, stress=suite.stress)
