"""Leaderboards: many models by their results, with intervals, and ranks that chance cannot turn."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.outputs import Evaluation, entrants, read_evaluations
from evalplus_lite.jobs.session import Result
from evalplus_lite.reports.comparison import Paths, compared
from evalplus_lite.statistics.paired import LEVEL

SUITES = ("base", "plus")


@dataclass(frozen=True, slots=True)
class LeaderboardResult(Result):
    """A board for each suite that judged, its entrants from the best."""

    kind: ClassVar[str] = "leaderboard"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row an entrant: ``dataset``, ``label``, ``base``, ``base_rank``, ..."""
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


NAMES = ("label", "model", "temperature", "tasks", "samples")


def leaderboard(*folders: Paths, k: int = 1) -> LeaderboardResult:
    """Rank models and temperatures by pass@``k``, a board for each suite that judged them.

        print(leaderboard("out/a", "out/b", "out/c").tables()[0].to_markdown())

    ``folders`` are what ``evaluate`` wrote, or hold such. A rank is one more than the number of
    entrants that are better beyond doubt: by the exact paired test on the tasks that both have, at
    5 % after Holm over all pairs of the board. Equal ranks are ties, whatever the scores. Order is
    by score on all tests. A run without samples for some tasks is listed last, without a rank.
    Nothing is run and nothing written; InputError as for ``compare``.
    """
    paths: list[str | os.PathLike[str]] = []
    for each in folders:
        paths += [each] if isinstance(each, str | os.PathLike) else list(each)
    judged: dict[str, list[Evaluation]] = {}
    for one in read_evaluations(paths):
        judged.setdefault(one.content, []).append(one)
    boards = [_board(some, k) for some in judged.values()]
    return LeaderboardResult({"run": run_facts(), "k": k, "boards": boards})


def _board(evaluations: list[Evaluation], k: int) -> dict[str, Any]:
    runs = entrants(evaluations)
    # A run without samples for some tasks has a score of other tasks: it is listed last, unranked.
    whole = [run for run in runs if not run.missing]
    partial = [run for run in runs if run.missing]
    found = compared(whole or partial, k=k, least=1, every=True).summary
    last = "plus" if found["entrants"][0]["plus"] else "base"
    rows = _sorted(found["entrants"], last) if whole else []
    for each in rows:
        for suite in SUITES:
            if each[suite]:
                each[suite]["tied_with"] = _tied(each["label"], found["pairs"], suite)
    unranked = _sorted(
        [row for run in partial for row in compared([run], k=k, least=1).summary["entrants"]], last
    )
    for each in unranked:
        for suite in SUITES:
            if each[suite]:
                each[suite] |= {"rank": None, "tied_with": []}
    return {
        "dataset": found["dataset"],
        "content": found["content"],
        "tasks": max(len(run.counts) + run.missing for run in runs),
        "entrants": rows + unranked,
        "fewer_tasks": [each["label"] for each in unranked],
        "differs": found["differs"],
    }


def _sorted(rows: list[dict[str, Any]], suite: str) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda each: (-(each[suite] or each["base"])["value"], each["label"]))


def _tied(label: str, pairs: list[dict[str, Any]], suite: str) -> list[str]:
    """Return the entrants that no difference beyond doubt separates from one."""
    return sorted(
        pair["first"] if pair["second"] == label else pair["second"]
        for pair in pairs
        if label in (pair["first"], pair["second"]) and pair[suite]["p_holm"] >= LEVEL
    )
