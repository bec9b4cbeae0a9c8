"""Models, or runs, on the same suite: who does better, by how much, and whether that is sure."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.outputs.evaluation import Entrant, Evaluation, entrants, read_evaluations
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.pairs import pair_row
from evalplus_lite.pipelines.results import Result
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.paired import LEVEL, holm
from evalplus_lite.statistics.pass_at_k import Count, estimate

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Suite = Literal["base", "plus"]
MOST_ENTRANTS = 100
"""Models and temperatures that are compared with each other: pairs grow with their square."""


@dataclass(frozen=True, slots=True)
class ComparisonResult(Result):
    """Entrants with their scores and ranks, and each pair of them with its difference."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a pair and suite: ``first``, ``second``, ``tests``, ``difference``, ..."""
        return [
            {
                "first": pair["first"],
                "second": pair["second"],
                "tests": suite,
                **{key: value for key, value in pair[suite].items() if type(value) is not list},
                "low": pair[suite]["interval"][0],
                "high": pair[suite]["interval"][1],
            }
            for pair in self.summary["pairs"]
            for suite in ("base", "plus")
            if pair[suite] is not None
        ]

    def worse(self, points: float | None = None) -> list[dict[str, Any]]:
        """Return the pairs whose second does worse on all tests: beyond doubt, or, with ``points``,
        by more than so many percentage points, sure or not.
        """
        found = []
        for pair in self.summary["pairs"]:
            row = pair["plus"] or pair["base"]
            if points is None:
                is_worse = row["difference"] < 0 and row["p_holm"] < LEVEL
            else:
                is_worse = 100 * row["difference"] < -points
            found += [pair] if is_worse else []
        return found


def compare(*folders: Paths, k: int = 1, common: bool = False) -> ComparisonResult:
    """Compare models, or runs of them, that were judged by the same suite, task by task.

        result = compare("out/old-model", "out/new-model")
        result.summary["pairs"][0]["plus"]["difference"]  # the second's pass@1 less the first's

    ``folders`` are what ``evaluate`` wrote; each model and temperature in them is an entrant. If
    all folders have the same several entrants, each is compared with its namesakes, else all with
    all. A pair is compared on the tasks that both were judged on, in pass@``k``: difference, 95 %
    interval, p (exact: McNemar's for one sample a task), p after Holm over all pairs, and the
    smallest difference that would have been seen. If the same programs were judged twice, the
    verdicts that changed are listed with the case that decided.

    Nothing is run and nothing written. Raises InputError for folders that were judged by other
    tasks, inputs or expected outputs, unless ``common``: then on the tasks that both have.
    """
    paths: list[str | os.PathLike[str]] = []
    for each in folders:
        paths += [each] if isinstance(each, str | os.PathLike) else list(each)
    found = read_evaluations(paths)
    if not common:
        require_one_suite(found)
    return compared(entrants(found), k=k)


def require_one_suite(found: Sequence[Evaluation]) -> None:
    """Raise InputError if evaluations were judged by different contents; it says what differs."""
    first = found[0]
    for other in found[1:]:
        if other.content == first.content:
            continue
        sides = [
            f"{each.folder} by {each.dataset} ({len(_judged(each))} tasks, content"
            f" {each.content[:8]})"
            for each in (first, other)
        ]
        raise InputError(
            f"not judged by the same tests: {' and '.join(sides)}",
            remedy="judge both by one suite, or give --common (common=True) for the tasks in common"
            " although their tests differ",
        )


def _judged(evaluation: Evaluation) -> set[str]:
    return {row["task_id"] for row in evaluation.rows()}


def compared(
    found: Sequence[Entrant], *, k: int = 1, least: int = 2, every: bool = False
) -> ComparisonResult:
    """Return the comparison of ``least`` entrants or more; see ``compare``.

    ``every``: of all with all, namesakes or not.
    """
    if type(k) is not int or k < 1:
        raise InputError(f"k is {k!r}", remedy="give a whole number from 1")
    if len(found) < least:
        only = f"{found[0].label!r} alone" if found else "no sample"
        raise InputError(
            f"there is {only} to compare", remedy="give the folders of two models or runs"
        )
    if len(found) > MOST_ENTRANTS:
        raise InputError(
            f"there are {len(found)} models and temperatures, at most {MOST_ENTRANTS} are compared",
            remedy="give fewer folders",
        )
    # Whose suite has no plus cases was judged by all there are: that is beside others' plus.
    has_plus = any(each.evaluation.has_plus for each in found)
    suites: tuple[Suite, ...] = ("base", "plus") if has_plus else ("base",)
    counts = {suite: [_counts(each, suite) for each in found] for suite in suites}
    judged = counts.items()
    _require_samples(found, counts["base"], k)
    places = _every(found) if every else _pairs(found)
    pairs = [
        pair_row(found[one], found[other], {s: (rows[one], rows[other]) for s, rows in judged}, k)
        for one, other in places
    ]
    for suite in suites:
        chances = [pair[suite]["p"] for pair in pairs]
        for pair, chance in zip(pairs, holm(chances), strict=True):
            pair[suite]["p_holm"] = chance
    is_whole = len(places) == len(found) * (len(found) - 1) // 2
    ranks = {suite: _ranks(len(found), places, pairs, suite) for suite in suites if is_whole}
    rows = [
        _entrant(each, {s: counts[s][n] for s in suites}, {s: ranks[s][n] for s in ranks}, k)
        for n, each in enumerate(found)
    ]
    contents = {each.evaluation.content for each in found}
    return ComparisonResult(
        {
            "run": run_facts(),
            "dataset": " and ".join(dict.fromkeys(each.evaluation.dataset for each in found)),
            "content": next(iter(contents)) if len(contents) == 1 else None,
            "k": k,
            "entrants": rows,
            "pairs": pairs,
            "differs": _settings(found),
        }
    )


def _counts(entrant: Entrant, suite: Suite) -> dict[str, Count]:
    if suite == "base":
        return {id: Count(each.total, each.base_right) for id, each in entrant.counts.items()}
    return {id: Count(each.total, each.plus_right) for id, each in entrant.counts.items()}


def _require_samples(
    found: Sequence[Entrant], counts: Sequence[Mapping[str, Count]], k: int
) -> None:
    for each, tasks in zip(found, counts, strict=True):
        if few := [id for id, count in tasks.items() if count.total < k]:
            raise InputError(
                f"{each.label} has fewer than {k} samples of {len(few)} tasks, such as {few[0]}",
                remedy="compare with a smaller k",
            )


def _pairs(found: Sequence[Entrant]) -> list[tuple[int, int]]:
    """Return the places of those that are compared: namesakes if every folder has the same several
    entrants, else all.
    """
    every = _every(found)
    keys: dict[Any, list[Any]] = {}
    for each in found:
        keys.setdefault(each.evaluation.folder, []).append((each.model, each.temperature))
    names = list(keys.values())
    if len(names) < 2 or len(names[0]) < 2 or any(other != names[0] for other in names[1:]):
        return every
    return [(one, other) for one, other in every if _name(found[one]) == _name(found[other])]


def _every(found: Sequence[Entrant]) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(len(found)), 2))


def _name(entrant: Entrant) -> tuple[str | None, float | None]:
    return entrant.model, entrant.temperature


def _ranks(
    number: int, places: Sequence[tuple[int, int]], pairs: Sequence[Mapping[str, Any]], suite: Suite
) -> list[int]:
    """Return one more than how many are better than each beyond doubt: equal ranks are ties."""
    ranks = [1] * number
    for (one, other), pair in zip(places, pairs, strict=True):
        if pair[suite]["p_holm"] < LEVEL and pair[suite]["difference"]:
            ranks[one if pair[suite]["difference"] > 0 else other] += 1
    return ranks


def _entrant(
    entrant: Entrant,
    counts: Mapping[Suite, Mapping[str, Count]],
    ranks: Mapping[Suite, int],
    k: int,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "label": entrant.label,
        "folder": str(entrant.evaluation.folder),
        "model": entrant.model,
        "temperature": entrant.temperature,
        "tasks": len(entrant.counts),
        "samples": sum(each.total for each in entrant.counts.values()),
        "base": None,
        "plus": None,
    }
    for suite, rows in counts.items():
        found[suite] = {
            "value": estimate(rows, (k,))[f"pass@{k}"],
            "interval": list(intervals(rows, (k,))[f"pass@{k}"]),
            "rank": ranks.get(suite),
        }
    return found


SETTINGS = ("version", "python", "sandbox", "limits")
"""Facts of a run that may explain verdicts that differ."""


def _settings(found: Sequence[Entrant]) -> dict[str, list[Any]]:
    """Return the settings that are not the same for all, with the value of each entrant."""
    runs = [each.evaluation.summary["run"] for each in found]
    values = {name: [run.get(name) for run in runs] for name in SETTINGS}
    return {name: some for name, some in values.items() if any(each != some[0] for each in some)}
