"""Comparison of model runs on one suite: pairwise differences, rankings, changed verdicts."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.outputs import (
    Evaluation,
    ModelRun,
    Paths,
    Tests,
    entrants,
    group_of,
    listed_paths,
    read_evaluations,
)
from evalplus_lite.jobs.session import Result
from evalplus_lite.jobs.tables import ends, p_value, percent
from evalplus_lite.statistics.means import intervals, paired_noise
from evalplus_lite.statistics.paired import LEVEL, holm, paired
from evalplus_lite.statistics.pass_at_k import Count, estimate

# The same programs judged twice: which verdicts changed, and the cases that decided.

MOST_SHOWN = 200
"""Maximum number of a pair's changes that are kept with their cases; all are counted."""
KEYS = ("task_id", "index", "program")


def changes(first: ModelRun, second: ModelRun, tasks: Collection[str]) -> dict[str, Any] | None:
    """Return the changed verdicts if two runs judged the same samples, else None.

    The samples are the same if both runs have the same programs for these tasks in the same order,
    which is the order of the sample file. Rows are read in parallel; only changes are kept.
    """
    if first.evaluation.folder == second.evaluation.folder:
        return None
    counts: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    samples = 0
    rows_of = [
        (
            row
            for row in run.evaluation.rows()
            if row["task_id"] in tasks and group_of(row) == run.group
        )
        for run in (first, second)
    ]
    for was, now in itertools.zip_longest(*rows_of):
        if was is None or now is None or any(was[key] != now[key] for key in KEYS):
            return None
        samples += 1
        # Verdicts on base cases and on all cases; equal if there are only base cases.
        before, after = ((row["base"], row["plus"] or row["base"]) for row in (was, now))
        if before == after:
            continue
        counts[f"{before[-1]} -> {after[-1]}"] += 1
        if len(shown) < MOST_SHOWN:
            sides = {"first": _side(was), "second": _side(now)}
            shown.append({**{key: was[key] for key in KEYS}, **sides})
    return {"samples": samples, "changed": sum(counts.values()),
            "counts": dict(sorted(counts.items())), "shown": shown}  # fmt: skip


def _side(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample's verdict with the deciding case."""
    failure = row.get("smallest") or row.get("failure")
    deciding = {"failure": failure} if failure else {}
    return {"base": row["base"], "plus": row["plus"], **deciding}


# A pair of model runs: what the second does better or worse on their common tasks.


def pair_row(
    first: ModelRun,
    second: ModelRun,
    counts: Mapping[str, tuple[Mapping[str, Count], Mapping[str, Count]]],
    k: int,
    *,
    with_changes: bool,
) -> dict[str, Any]:
    """Return the row of a pair: second minus first."""
    both = [id for id in first.counts if id in second.counts]
    if not both:
        raise InputError(
            f"{first.label} and {second.label} have no judged task in common",
            remedy="compare those that were judged on the same tasks",
        )
    result: dict[str, Any] = {
        "first": first.label,
        "second": second.label,
        "tasks": len(both),
        "only_first": _sorted(id for id in first.counts if id not in second.counts),
        "only_second": _sorted(id for id in second.counts if id not in first.counts),
        "base": None,
        "plus": None,
    }
    for suite, (before, after) in counts.items():
        # The second's gain: it wins a task by solving it more often.
        difference = paired(after, before, k=k)
        assert difference is not None, "there are tasks of both"
        gains = {
            id: after[id].correct / after[id].total - before[id].correct / before[id].total
            for id in both
        }
        noise = paired_noise(before, after) if k == 1 else None
        result[suite] = {
            "difference": difference.difference,
            "interval": list(difference.interval),
            "p": difference.p,
            "p_holm": difference.p,
            "visible": difference.visible,
            # The standard error, and the part that more samples cannot reduce.
            "noise": noise
            and {
                "samples": noise.samples,
                "standard_error": noise.standard_error(),
                "standard_error_of_tasks": noise.standard_error(float("inf")),
            },
            "tasks_won": _sorted(id for id, gain in gains.items() if gain > 0),
            "tasks_lost": _sorted(id for id, gain in gains.items() if gain < 0),
        }
    return result | {"changes": changes(first, second, set(both)) if with_changes else None}


def _sorted(ids: Iterable[str]) -> list[str]:
    """Return ids in natural order, independent of the order of the samples."""
    return sorted(ids, key=lambda id: [(len(part), part) for part in re.split(r"(\d+)", id)])


SUITES: tuple[Tests, ...] = ("base", "plus")
MOST_ENTRANTS = 100
"""Maximum number of model runs to compare: the number of pairs is quadratic."""


@dataclass(frozen=True, slots=True)
class ComparisonResult(Result):
    """Model runs with their scores and ranks, and the difference of each pair."""

    kind: ClassVar[str] = "comparison"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per pair and kind of tests: ``first``, ``second``, ``difference``, ..."""
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
        """Return the pairs whose second run does significantly worse on all tests or, with
        ``points``, scores more than that many percentage points less, significant or not.
        """

        def is_worse(row: Mapping[str, Any]) -> bool:
            if points is None:
                return bool(row["difference"] < 0 and row["p_holm"] < LEVEL)
            return bool(100 * row["difference"] < -points)

        return [pair for pair in self.summary["pairs"] if is_worse(pair["plus"] or pair["base"])]


def compare(*folders: Paths, k: int = 1, common: bool = False) -> ComparisonResult:
    """Compare models, or runs of a model, on the same suite, task by task.

        result = compare("out/old-model", "out/new-model")
        result.summary["pairs"][0]["plus"]["difference"]  # of pass@1, second minus first

    ``folders`` were written by ``evaluate``; each model and temperature in them is a model run. If
    all folders have the same several runs, each is compared with its namesakes, else all with all.
    A pair is compared on the tasks that both were judged on, in pass@``k``: difference, 95 %
    interval, p (exact: McNemar's test for one sample per task), p after Holm over all pairs, and
    the minimum detectable effect. If the same programs were judged twice, the changed verdicts are
    listed with the deciding case.

    Runs no program and writes no file. Raises InputError for folders judged on different tasks,
    inputs or expected outputs; with ``common`` it compares the tasks that both have instead.
    """
    evaluations = _read(folders)
    if not common:
        require_one_suite(evaluations)
    return compared(entrants(evaluations), k=k)


def _read(folders: Iterable[Paths]) -> list[Evaluation]:
    return read_evaluations(path for each in folders for path in listed_paths(each))


def require_one_suite(evaluations: Sequence[Evaluation]) -> None:
    """Raise InputError, with the difference, if evaluations were judged by different contents."""
    first, *others = evaluations
    for other in others:
        if other.content == first.content:
            continue
        sides = [
            f"{each.folder} by {each.dataset} ("
            f"{len({row['task_id'] for row in each.rows()})} tasks, content {each.content[:8]})"
            for each in (first, other)
        ]
        raise InputError(
            f"not judged by the same tests: {' and '.join(sides)}",
            remedy="judge both by one suite, or give --common (common=True) for the tasks in common"
            " although their tests differ",
        )


def compared(
    runs: Sequence[ModelRun], *, k: int = 1, least: int = 2, every: bool = False
) -> ComparisonResult:
    """Compare at least ``least`` model runs; see ``compare``.

    ``every``: compare all with all, ignoring namesakes, and leave out changed verdicts.
    """
    if type(k) is not int or k < 1:
        raise InputError(f"k is {k!r}", remedy="give a whole number from 1")
    if len(runs) < least:
        only = f"{runs[0].label!r} alone" if runs else "no sample"
        raise InputError(
            f"there is {only} to compare", remedy="give the folders of two models or runs"
        )
    if len(runs) > MOST_ENTRANTS:
        raise InputError(
            f"there are {len(runs)} models and temperatures, at most {MOST_ENTRANTS} are compared",
            remedy="give fewer folders",
        )
    for each in runs:
        if few := [id for id, count in each.counts.items() if count.total < k]:
            raise InputError(
                f"{each.label} has fewer than {k} samples of {len(few)} tasks, such as {few[0]}",
                remedy="compare with a smaller k",
            )
    # Without plus cases the base verdict covers all tests, so it is compared with others' plus.
    has_plus = any(each.evaluation.has_plus for each in runs)
    suites: tuple[Tests, ...] = SUITES if has_plus else ("base",)
    counts = {suite: [each.right(suite) for each in runs] for suite in suites}
    all_pairs = list(itertools.combinations(range(len(runs)), 2))
    places = all_pairs if every else _namesakes(runs) or all_pairs
    pairs = [
        pair_row(
            runs[one],
            runs[other],
            {suite: (rows[one], rows[other]) for suite, rows in counts.items()},
            k,
            with_changes=not every,
        )
        for one, other in places
    ]
    # A rank is one more than the number of significantly better runs; equal ranks are ties.
    is_whole = len(places) == len(all_pairs)
    ranks: dict[str, list[int]] = {suite: [1] * len(runs) for suite in suites}
    for suite in suites:
        adjusted = holm([pair[suite]["p"] for pair in pairs])
        for (one, other), pair, p in zip(places, pairs, adjusted, strict=True):
            row = pair[suite]
            row["p_holm"] = p
            if p < LEVEL and row["difference"]:
                ranks[suite][one if row["difference"] > 0 else other] += 1
    rows = []
    for n, each in enumerate(runs):
        row = {
            "label": each.label,
            "folder": str(each.evaluation.folder),
            "model": each.model,
            "temperature": each.temperature,
            "tasks": len(each.counts),
            "samples": sum(count.total for count in each.counts.values()),
            "base": None,
            "plus": None,
        }
        for suite in suites:
            row[suite] = {
                "value": estimate(counts[suite][n], (k,))[f"pass@{k}"],
                "interval": list(intervals(counts[suite][n], (k,))[f"pass@{k}"]),
                "rank": ranks[suite][n] if is_whole else None,
            }
        rows.append(row)
    contents = {each.evaluation.content for each in runs}
    facts = {name: [each.evaluation.summary["run"].get(name) for each in runs] for name in SETTINGS}
    # Settings that are not the same for all, with the value of each.
    differs = {name: some for name, some in facts.items() if any(one != some[0] for one in some)}
    return ComparisonResult(
        {
            "run": run_facts(),
            "dataset": " and ".join(dict.fromkeys(each.evaluation.dataset for each in runs)),
            "content": next(iter(contents)) if len(contents) == 1 else None,
            "k": k,
            "entrants": rows,
            "pairs": pairs,
            "differs": differs,
        }
    )


SETTINGS = ("version", "python", "sandbox", "limits")
"""Settings of a run that may explain different verdicts."""


def _namesakes(runs: Sequence[ModelRun]) -> list[tuple[int, int]]:
    """Return index pairs of namesakes; none unless every folder has the same several runs."""
    keys: dict[Any, list[Any]] = {}
    for each in runs:
        keys.setdefault(each.evaluation.folder, []).append(each.group)
    first, *others = keys.values()
    if not others or len(first) < 2 or any(other != first for other in others):
        return []
    pairs = itertools.combinations(range(len(runs)), 2)
    return [(one, other) for one, other in pairs if runs[one].group == runs[other].group]


# Rankings: the runs on one suite from the best.

NAMES = ("label", "model", "temperature", "tasks", "samples")
MOST_NAMED = 3
"""Maximum number of models named in a clause of a verdict; the others are counted."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The runs on one suite, best first; runs without samples for some tasks come last.

    ``rows`` have each run's scores and ranks, ``pairs`` the differences of ranked runs.
    """

    runs: Sequence[ModelRun]
    rows: Sequence[dict[str, Any]]
    pairs: Sequence[dict[str, Any]]
    differs: Mapping[str, Any]

    @property
    def suite(self) -> Tests:
        """The tests that decide the order: plus if there are any, else base."""
        return "plus" if self.rows[0]["plus"] else "base"

    @property
    def tasks(self) -> int:
        """The number of tasks in the suite."""
        return max(len(run.counts) + run.missing for run in self.runs)

    @property
    def unranked(self) -> list[dict[str, Any]]:
        """The rows of runs without samples for some tasks."""
        return [row for row, run in zip(self.rows, self.runs, strict=True) if run.missing]

    @property
    def verdict(self) -> str:
        """One sentence on which run is best, by how much, and which do not differ significantly."""
        ranked = [row for row in self.rows if row not in self.unranked]
        if not ranked:
            return "No run has samples for every task."
        best, *others = (row["label"] for row in ranked)
        if not others:
            score = ranked[0][self.suite]
            share = f"{percent(score['value'])} % {ends(score['interval'])}"
            return f"{best} solves {share} of the tasks on {self.suite}."
        tied = self._tied(best, others)
        beaten = [each for each in others if each not in tied]
        clauses = [*self._equal(best, tied), *self._better(best, beaten, is_named=len(tied) < 2)]
        if not tied:
            rest = self._tied(others[0], others[1:])
            clauses += self._equal(others[0], rest) or self._better(others[0], others[1:])
        return f"{'; '.join(clauses)}."

    def ties(self, label: str, suite: Tests) -> set[str]:
        """Return the runs that do not differ significantly from one."""
        pairs = ({pair["first"], pair["second"]} for pair in self.pairs
                 if pair[suite]["p_holm"] >= LEVEL)  # fmt: skip
        return {name for pair in pairs if label in pair for name in pair - {label}}

    def _tied(self, one: str, others: Iterable[str]) -> list[str]:
        ties = self.ties(one, self.suite)
        return [each for each in others if each in ties]

    def _equal(self, one: str, tied: Sequence[str]) -> list[str]:
        if not tied:
            return []
        if len(tied) == 1:
            return [f"{one} and {tied[0]} do not differ significantly on {self.suite}"]
        more = len(tied) - MOST_NAMED
        names = [*tied[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]
        named = f"{', '.join(names[:-1])} and {names[-1]}"
        return [f"{one} does not differ significantly from {named} on {self.suite}"]

    def _better(self, one: str, others: Sequence[str], *, is_named: bool = True) -> list[str]:
        if not others:
            return []
        names = {one, others[0]}
        row = next(each[self.suite] for each in self.pairs
                   if {each["first"], each["second"]} == names)  # fmt: skip
        gap, p = percent(abs(row["difference"])), p_words(row["p_holm"])
        name = one if is_named else "it"
        return [f"{name} beats {others[0]} on {self.suite} by {gap} points, {p}"]


def p_words(p: float) -> str:
    """Format a p-value for a sentence: ``p = 0.014``."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def ranking(evaluations: Sequence[Evaluation], *, k: int = 1) -> Ranking:
    """Rank runs on one suite by pass@``k``; see ``leaderboard``."""
    runs = entrants(evaluations)
    # A run without samples for some tasks is scored on other tasks, so it comes last, unranked.
    # The second run of a pair is the better one, so differences are positive.
    whole = sorted(
        (run for run in runs if not run.missing),
        key=lambda run: estimate(run.right("plus"), (k,)).get(f"pass@{k}", 0.0),
    )
    summary = compared(whole, k=k, least=1, every=True).summary if whole else {}
    rows = {row["label"]: row for row in summary.get("entrants", ())}
    for run in runs:
        if run.missing:
            (row,) = compared([run], k=k, least=1).summary["entrants"]
            scores = {suite: row[suite] and row[suite] | {"rank": None} for suite in SUITES}
            rows[run.label] = row | scores

    def order(run: ModelRun) -> tuple[bool, float, str]:
        row = rows[run.label]
        return bool(run.missing), -(row["plus"] or row["base"])["value"], run.label

    runs.sort(key=order)
    pairs, differs = summary.get("pairs", [])[::-1], summary.get("differs", {})
    return Ranking(runs, [rows[run.label] for run in runs], pairs, differs)


@dataclass(frozen=True, slots=True)
class LeaderboardResult(Result):
    """A leaderboard for each suite, best model run first."""

    kind: ClassVar[str] = "leaderboard"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each model run: ``dataset``, ``label``, ``base``, ``base_rank``, ..."""
        rows = []
        for board in self.summary["boards"]:
            for each in board["entrants"]:
                row = {"dataset": board["dataset"], **{key: each[key] for key in NAMES}}
                for suite in SUITES:
                    found = each[suite] or {"value": None, "interval": (None, None), "rank": None}
                    low, high = found["interval"]
                    row |= {suite: found["value"], f"{suite}_low": low, f"{suite}_high": high}
                    row[f"{suite}_rank"] = found["rank"]
                rows.append(row)
        return rows


def leaderboard(*folders: Paths, k: int = 1) -> LeaderboardResult:
    """Rank models and temperatures by pass@``k``, with a leaderboard for each suite.

        print(leaderboard("out/a", "out/b", "out/c").tables()[0].to_markdown())

    ``folders`` were written by ``evaluate``, or contain such folders. A rank is one more than the
    number of significantly better runs, by the exact paired test at 5 % after Holm over all pairs
    of the leaderboard. Equal ranks are ties, whatever the scores. The order is by score on all
    tests. A run without samples for some tasks comes last, without a rank. Runs no program and
    writes no file; raises InputError as ``compare`` does.
    """
    judged: dict[str, list[Evaluation]] = {}
    for one in _read(folders):
        judged.setdefault(one.content, []).append(one)
    boards = []
    for content, some in judged.items():
        ranked = ranking(some, k=k)
        runs = []
        for row in ranked.rows:
            ties = {
                suite: sorted(ranked.ties(row["label"], suite)) for suite in SUITES if row[suite]
            }
            runs.append(row | {suite: row[suite] | {"tied_with": ties[suite]} for suite in ties})
        board = {
            "dataset": " and ".join(dict.fromkeys(run.evaluation.dataset for run in ranked.runs)),
            "content": content,
            "tasks": ranked.tasks,
            "verdict": ranked.verdict,
            "entrants": runs,
            "fewer_tasks": [row["label"] for row in ranked.unranked],
            "differs": ranked.differs,
        }
        boards.append(board)
    return LeaderboardResult({"run": run_facts(), "k": k, "boards": boards})
