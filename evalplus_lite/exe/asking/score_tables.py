"""Tables of a score: cases by package, and by the quarters of what is known of their programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from statistics import fmean

from evalplus_lite.exe.statistics.measures import measures
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.exe.tasks.moments import KINDS, consistency
from evalplus_lite.statistics.means import clustered_interval

BINS = 4
"""Quantile groups of a statistic."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of a score table: mean pass@1 over ``cases`` cases of ``tasks`` functions.

    ``interval`` is its 95 % interval, in which cases of one function count as alike as they are.
    """

    group: str
    name: str
    cases: int
    tasks: int
    pass_at_1: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class CaseShare:
    """Mean pass@1 over ``cases`` cases of ``functions`` functions, with its 95 % interval."""

    cases: int
    functions: int
    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, object]:
        """Return it for a file."""
        return {
            "cases": self.cases,
            "functions": self.functions,
            "pass@1": self.mean,
            "interval": list(self.interval),
        }


@dataclass(frozen=True, slots=True)
class MomentScore:
    """Mean incremental consistency over moments that were asked about in every way."""

    moments: int
    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, object]:
        """Return it for a file."""
        interval = [round(end, 6) for end in self.interval]
        return {"moments": self.moments, "mean": round(self.mean, 6), "interval": interval}


def consistency_of(
    moments: Mapping[tuple[str, str, int], Mapping[str, bool]],
) -> MomentScore | None:
    """Return how consistent the answers on moments are, by (function, moment, sample).

    Moments that lack an answer are left out; None if all do.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for (function, _, _), marks in moments.items():
        if len(marks) == len(KINDS):
            found[function].append(consistency(marks))
    values = [value for some in found.values() for value in some]
    if not values:
        return None
    interval = clustered_interval((fsum(some), len(some)) for some in found.values())
    return MomentScore(len(values), fmean(values), interval)


def score_rows(
    known: Mapping[str, MinedTask], rates: Mapping[tuple[str, int], float]
) -> Iterator[ScoreRow]:
    """Yield the rows of all, of errors, of each package, and of each statistic in quarters."""
    places = sorted(rates)
    yield _line("all", "all", places, rates, known)
    errors = [p for p in places if known[p[0]].cases[p[1]].answer.kind == "error"]
    if errors:
        yield _line("all", "errors only", errors, rates, known)
    packages: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for place in places:
        packages[str(known[place[0]].facts.get("package", "-"))].append(place)
    for name, members in sorted(packages.items(), key=lambda item: (-len(item[1]), item[0])):
        yield _line("package", name, members, rates, known)
    kinds: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for place in places:
        if "question" in known[place[0]].facts:
            kinds[str(known[place[0]].facts["question"].get("kind"))].append(place)
    for kind, members in sorted(kinds.items()):
        yield _line("question", kind, members, rates, known)
    for group, values in _statistics(known, places).items():
        yield from _quarters(group, values, rates, known)


def _statistics(
    known: Mapping[str, MinedTask], places: list[tuple[str, int]]
) -> dict[str, dict[tuple[str, int], float]]:
    """Return statistic -> case -> value; per line of code for counts of node types."""
    found: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for place in places:
        task = known[place[0]]
        case = task.cases[place[1]]
        for name, value in measures(task.facts.get("static", {}), case.runtime).items():
            found[name][place] = value
    return dict(found)


def _quarters(
    group: str,
    values: Mapping[tuple[str, int], float],
    rates: Mapping[tuple[str, int], float],
    known: Mapping[str, MinedTask],
) -> Iterator[ScoreRow]:
    """Split cases at the quartiles of a statistic; equal values stay together."""
    ordered = sorted(values.values())
    edges = sorted({ordered[len(ordered) * n // BINS] for n in range(1, BINS)})
    bins: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for place, value in values.items():
        bins[sum(value >= edge for edge in edges)].append(place)
    if len(bins) < 2:
        return
    for number in sorted(bins):
        members = bins[number]
        low = min(values[place] for place in members)
        high = max(values[place] for place in members)
        yield _line(group, f"{low:.4g} to {high:.4g}", members, rates, known)


def _line(
    group: str,
    name: str,
    places: list[tuple[str, int]],
    rates: Mapping[tuple[str, int], float],
    known: Mapping[str, MinedTask],
) -> ScoreRow:
    found = share_of({place: rates[place] for place in places}, known)
    return ScoreRow(group, name, found.cases, found.functions, found.mean, found.interval)


def share_of(values: Mapping[tuple[str, int], float], known: Mapping[str, MinedTask]) -> CaseShare:
    """Return the mean of a figure from 0 to 1 a case, of which there is at least one."""
    found: dict[str, list[float]] = defaultdict(list)
    for (task_id, _), value in values.items():
        found[known[task_id].function_id].append(value)
    sums = [(fsum(some), len(some)) for some in found.values()]
    mean = fsum(hits for hits, _ in sums) / len(values)
    return CaseShare(len(values), len(found), mean, clustered_interval(sums))
