"""What figures are made of: entrants by the suite that judged them, sizes of suites, other jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from evalplus_lite.jobs.outputs import Kind, ModelRun, Output, Tests
from evalplus_lite.jobs.tables import Table
from evalplus_lite.reports.plots.canvas import Picture
from evalplus_lite.store.labels import file_name


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure or table that could not be made, and what it would need."""

    name: str
    reason: str


Product = Picture | Table | Missing


@dataclass(frozen=True, slots=True)
class Board:
    """The entrants that one suite judged; ``ending`` sets its files apart from other boards'."""

    dataset: str
    content: str
    has_plus: bool
    entrants: tuple[ModelRun, ...]
    ending: str = ""

    @property
    def tests(self) -> tuple[Tests, ...]:
        """The kinds of tests that there are verdicts on."""
        return ("base", "plus") if self.has_plus else ("base",)


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """How many tests a suite has: ``base`` and ``all`` hold a number a task."""

    name: str
    content: str
    base: tuple[int, ...]
    all: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Tests a task, base ones included."""
        return sum(self.all) / len(self.all)

    @staticmethod
    def figures(numbers: Sequence[int]) -> tuple[float, float, int, int]:
        """Return the mean, the median, the least and the most."""
        return sum(numbers) / len(numbers), median(numbers), min(numbers), max(numbers)


@dataclass(frozen=True, slots=True)
class Material:
    """All that was given: nothing of it grows with the number of samples."""

    outputs: tuple[Output, ...]
    boards: tuple[Board, ...]
    suites: tuple[SuiteSize, ...]

    def of(self, kind: Kind) -> Iterator[tuple[Output, str]]:
        """Yield the outputs of a kind, each with an ending for the names of files."""
        found = [each for each in self.outputs if each.kind == kind]
        names = _endings([each.folder.resolve().name for each in found])
        yield from zip(found, names, strict=True)


def boards(entrants: Iterable[ModelRun]) -> tuple[Board, ...]:
    """Return the entrants by what judged them, in order; labels of partial runs say so."""
    found: dict[str, list[ModelRun]] = {}
    for each in entrants:
        run = replace(each, label=f"{each.label}{part(each)}")
        found.setdefault(each.evaluation.content, []).append(run)
    first = [some[0].evaluation for some in found.values()]
    endings = _endings([each.dataset for each in first])
    return tuple(
        Board(one.dataset, one.content, one.has_plus, tuple(some), ending)
        for one, some, ending in zip(first, found.values(), endings, strict=True)
    )


def model_of(entrant: ModelRun) -> str:
    """Return the name of the model, whatever its temperature."""
    return f"{entrant.model or entrant.evaluation.label}{part(entrant)}"


def part(run: ModelRun) -> str:
    """Return how many tasks a run covers that has no samples for some, else nothing."""
    count = len(run.counts)
    return f" ({count} of {count + run.missing} tasks)" if run.missing else ""


def _endings(names: Sequence[str]) -> list[str]:
    """Return an ending for the files of each; none where there is but one."""
    if len(names) < 2:
        return ["" for _ in names]
    found: list[str] = []
    for name in names:
        ending, number = f"-{file_name(name)}", 2
        while ending in found:
            ending, number = f"-{file_name(name)}-{number}", number + 1
        found.append(ending)
    return found
