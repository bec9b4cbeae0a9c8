"""What models answered, graded: by model, case and run, with what is known of each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

from evalplus_lite.mining.asking.score import GradedPrediction
from evalplus_lite.mining.asking.score_tables import CaseShare, share_of
from evalplus_lite.mining.statistics.measures import features, measures
from evalplus_lite.mining.tasks.mined import MinedTask
from evalplus_lite.programs import parsing
from evalplus_lite.statistics.pass_at_k import Count
from evalplus_lite.statistics.trends import Point

Place = tuple[str, int]
"""A case: its task's id, and its number there."""
ALL_MODELS = "all models"


@dataclass(slots=True)
class ModelGrades:
    """One model's graded predictions: by run (``sample``) and case, right or wrong.

    Those that a judge gave no answer on are counted in ``undecided`` only.
    """

    label: str
    runs: dict[int, dict[Place, bool]] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    asked: int = 0
    retried: int = 0
    unreadable: int = 0
    undecided: int = 0

    def take(self, found: GradedPrediction, *, run: int) -> None:
        """Count one graded prediction, as of this run."""
        said = found.prediction
        self.asked += 1
        self.prompt_tokens += said.prompt_tokens
        self.completion_tokens += said.completion_tokens
        self.retried += said.retried
        if found.problem:
            self.undecided += 1
            return
        self.unreadable += found.reason == "unreadable"
        self.runs.setdefault(run, {})[said.task_id, said.case] = found.is_right

    def counts(self) -> dict[Place, Count]:
        """Return how many of each case's answers are right."""
        marks: dict[Place, list[bool]] = defaultdict(list)
        for graded in self.runs.values():
            for place, is_right in graded.items():
                marks[place].append(is_right)
        return {place: Count(len(some), sum(some)) for place, some in sorted(marks.items())}

    def rates(self) -> dict[Place, float]:
        """Return pass@1 of each case."""
        return {place: count.correct / count.total for place, count in self.counts().items()}


@dataclass(frozen=True)
class Material:
    """Tasks, graded answers, and CPU seconds of cases where they were measured."""

    tasks: Mapping[str, MinedTask]
    models: Sequence[ModelGrades]
    seconds: Mapping[Place, float]

    @cached_property
    def rates(self) -> dict[str, dict[Place, float]]:
        """Pass@1 of each case, by model; of several models the mean under ``ALL_MODELS``, first."""
        found = {model.label: model.rates() for model in self.models}
        if len(found) < 2:
            return found
        every: dict[Place, list[float]] = defaultdict(list)
        for rates in found.values():
            for place, rate in rates.items():
                every[place].append(rate)
        means = {place: fsum(some) / len(some) for place, some in sorted(every.items())}
        return {ALL_MODELS: means, **found}

    @cached_property
    def answered(self) -> list[Place]:
        """The cases that a model answered."""
        return sorted({place for rates in self.rates.values() for place in rates})

    @cached_property
    def errors(self) -> frozenset[Place]:
        """The answered cases that raise."""
        return frozenset(
            (id, case)
            for id, case in self.answered
            if self.tasks[id].cases[case].answer.kind == "error"
        )

    @cached_property
    def measures(self) -> dict[Place, dict[str, float]]:
        """What is known of each answered case as numbers."""
        found = {}
        for id, case in self.answered:
            task = self.tasks[id]
            static, runtime = task.facts.get("static", {}), task.cases[case].runtime
            found[id, case] = measures(static, runtime, self.seconds.get((id, case)))
        return found

    @cached_property
    def constructs(self) -> dict[str, frozenset[str]]:
        """The constructs of each answered task's program, annotations left out."""
        found = {}
        for id in dict.fromkeys(id for id, _ in self.answered):
            try:
                tree = parsing.parse(self.tasks[id].code)
                found[id] = frozenset(features(tree))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # what cannot be parsed has none that count
        return found

    def package(self, place: Place) -> str:
        """Return the package that a case's function is from."""
        return str(self.tasks[place[0]].facts.get("package", "-"))

    def points(
        self, measure: str, rates: Mapping[Place, float], places: Iterable[Place]
    ) -> list[Point]:
        """Return the cases with this measure as points, functions being clusters."""
        return [
            Point(self.tasks[place[0]].function_id, self.measures[place][measure], rates[place])
            for place in places
            if place in rates and measure in self.measures[place]
        ]


def share(
    rates: Mapping[Place, float], places: Iterable[Place], tasks: Mapping[str, MinedTask]
) -> CaseShare | None:
    """Return the mean over those of the places that have a rate; None if none has."""
    found = {place: rates[place] for place in places if place in rates}
    return share_of(found, tasks) if found else None
