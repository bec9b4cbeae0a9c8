"""Leave-one-model-out cross-validation of small suites.

For each model, suites are chosen without its samples (EvalPlus paper, section 2.2 and Table 4); or
once with some models' samples, and judged by others. A small suite can only lose distinct programs
that no base case rejects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalplus_lite.programs import program_key
from evalplus_lite.reduction.policy import Policy, choose
from evalplus_lite.reduction.requirements import Matrix, Requirement
from evalplus_lite.reduction.set_cover import bitset
from evalplus_lite.statistics.means import Share, added, chance_of_none, mean_interval
from evalplus_lite.types import Sample

KINDS = ("base", "plus", "reduced", "random")


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One model under one policy: the fields of the paper's Table 4, and more.

    ``size`` is the mean number of plus cases a task. ``passed`` is pass@1 on the ``base`` cases,
    all cases (``plus``), the ``reduced`` suite, and (expected) ``random`` suites of the same size
    for each task; ``intervals`` are 95 % intervals over tasks, empty for several models together.
    ``kept`` and ``kept_random`` are the shares of the model's distinct programs failing only plus
    cases that are still rejected; programs stopped before they met all cases do not count.
    ``kept_accepted`` counts only those that fail a case that the task's contract accepts.
    """

    model: str
    policy: str
    size: float
    passed: Mapping[str, float]
    kept: Share
    kept_random: Share
    kept_accepted: Share
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Graded:
    """A sample's task, its program's key, and the cases that reject it."""

    task_id: str
    key: str
    killed: int


class GradedSamples:
    """The samples of all models on all matrices, with their authors and rejecting cases.

    ``held_out`` samples are not used for choosing; without them, each model's samples test
    suites chosen without them.
    """

    def __init__(
        self, matrices: Sequence[Matrix], samples: Iterable[Sample], held_out: Iterable[Sample] = ()
    ) -> None:
        self.matrices = tuple(matrices)
        self.by_id = {matrix.task_id: matrix for matrix in matrices}
        self.authors: dict[tuple[str, str], set[str]] = {}
        builders = self._graded(samples, are_builders=True)
        self.graded = self._graded(held_out, are_builders=False)
        self.has_held_out = bool(self.graded)
        if not self.has_held_out:
            self.graded = builders

    def _graded(self, samples: Iterable[Sample], *, are_builders: bool) -> dict[str, list[_Graded]]:
        graded: dict[str, list[_Graded]] = {}
        for sample in samples:
            matrix = self.by_id.get(sample.task_id)
            if matrix is None:
                continue
            key = program_key(sample.source)
            killed = matrix.rows.get(Requirement("sample", key), 0)
            graded.setdefault(sample.model, []).append(_Graded(sample.task_id, key, killed))
            authors = self.authors.setdefault((sample.task_id, key), set())
            if are_builders:
                authors.add(sample.model)
        return graded

    @property
    def models(self) -> tuple[str, ...]:
        """The judging models, sorted by name."""
        return tuple(sorted(self.graded))

    def unknown(self, model: str | None) -> dict[str, set[Requirement]]:
        """Return, by task, the sample requirements that no builder, or only this model, wrote."""
        alone = set() if model is None else {model}
        requirements: dict[str, set[Requirement]] = {}
        for (task_id, key), who in self.authors.items():
            if who <= alone:
                requirements.setdefault(task_id, set()).add(Requirement("sample", key))
        return requirements

    def line(self, model: str, name: str, suites: Mapping[str, int]) -> PolicyRow:
        """Return a model's results on suites, given as bitsets of cases by task."""
        kept = expected = accepted_kept = 0.0
        accepted = 0
        failures = set[tuple[str, str]]()
        right = {kind: dict.fromkeys(suites, 0.0) for kind in KINDS}
        totals = dict.fromkeys(suites, 0)
        for sample in self.graded[model]:
            matrix = self.by_id[sample.task_id]
            base = (1 << matrix.base_count) - 1
            totals[sample.task_id] += 1
            if sample.killed & base:
                continue
            right["base"][sample.task_id] += 1
            chosen = suites[sample.task_id]
            # A random choice of as many plus cases misses all these kills.
            kills = (sample.killed >> matrix.base_count).bit_count()
            plus = matrix.count - matrix.base_count
            lost = chance_of_none(plus, kills, chosen.bit_count())
            right["random"][sample.task_id] += lost
            right["reduced"][sample.task_id] += not sample.killed & chosen
            right["plus"][sample.task_id] += not sample.killed
            if sample.key in matrix.stopped:
                continue
            if sample.killed and (sample.task_id, sample.key) not in failures:
                failures.add((sample.task_id, sample.key))
                kept += bool(sample.killed & chosen)
                if sample.killed & ~matrix.refused:
                    accepted += 1
                    accepted_kept += bool(sample.killed & chosen)
                expected += 1 - lost
        asked = [task_id for task_id, total in totals.items() if total]
        shares = {
            kind: [programs[task_id] / totals[task_id] for task_id in asked]
            for kind, programs in right.items()
        }
        size = sum(chosen.bit_count() for chosen in suites.values()) / max(1, len(suites))
        return PolicyRow(
            model,
            name,
            size,
            {kind: sum(some) / max(1, len(some)) for kind, some in shares.items()},
            Share(kept, len(failures)),
            Share(expected, len(failures)),
            Share(accepted_kept, accepted),
            {
                kind: mean_interval(some, samples=sum(totals.values()))
                for kind, some in shares.items()
            },
        )


def crossval(field: GradedSamples, name: str, policy: Policy) -> tuple[PolicyRow, ...]:
    """Return a row for each model, on suites chosen without the samples that only it wrote.

    With held-out samples, suites are chosen once, from the builders' samples.
    """
    lines, suites = [], dict[str, int]()
    for model in field.models:
        if not suites or not field.has_held_out:
            without = field.unknown(None if field.has_held_out else model)
            choices = choose(field.matrices, policy, without=without)
            suites = {choice.task_id: bitset(choice.cases) for choice in choices}
        lines.append(field.line(model, name, suites))
    return tuple(lines)


def pooled(lines: Iterable[PolicyRow]) -> dict[str, PolicyRow]:
    """Return a row for each policy over all models: sizes and pass@1 averaged, failures added."""
    grouped: dict[str, list[PolicyRow]] = {}
    for line in lines:
        grouped.setdefault(line.policy, []).append(line)
    return {
        name: PolicyRow(
            model="all",
            policy=name,
            size=sum(line.size for line in some) / len(some),
            passed={kind: sum(line.passed[kind] for line in some) / len(some) for kind in KINDS},
            kept=added(line.kept for line in some),
            kept_random=added(line.kept_random for line in some),
            kept_accepted=added(line.kept_accepted for line in some),
        )
        for name, some in grouped.items()
    }
