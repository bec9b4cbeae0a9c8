"""Leaderboards: many models by their results, with intervals, and ranks that chance cannot turn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalplus_lite.outputs.evaluation import Evaluation, entrants, read_evaluations
from evalplus_lite.pipelines.board_page import page
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.standings import Paths, compared
from evalplus_lite.statistics.paired import LEVEL

SUITES = ("base", "plus")


@dataclass(frozen=True, slots=True)
class LeaderboardResult(Result):
    """A board for each suite that judged, its entrants from the best."""

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

    def to_markdown(self) -> str:
        """Return the boards as Markdown tables."""
        return "\n".join(_markdown(board, self.summary["k"]) for board in self.summary["boards"])

    def to_html(self) -> str:
        """Return the boards as one page that needs nothing else, no script and no network."""
        return page(self.summary)


NAMES = ("label", "model", "temperature", "tasks", "samples")


def leaderboard(*folders: Paths, k: int = 1) -> LeaderboardResult:
    """Rank models and temperatures by pass@``k``, a board for each suite that judged them.

        print(leaderboard("out/a", "out/b", "out/c").to_markdown())

    ``folders`` are what ``evaluate`` wrote, or hold such. A rank is one more than the number of
    entrants that are better beyond doubt: by the exact paired test on the tasks that both have, at
    5 % after Holm over all pairs of the board. Equal ranks are ties, whatever the scores. Order is
    by score on all tests. Nothing is run and nothing written; InputError as for ``compare``.
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
    found = compared(entrants(evaluations), k=k, least=1, every=True).summary
    last = "plus" if found["entrants"][0]["plus"] else "base"
    rows = sorted(found["entrants"], key=lambda each: (-each[last]["value"], each["label"]))
    for each in rows:
        for suite in SUITES:
            if each[suite]:
                each[suite]["tied_with"] = _tied(each["label"], found["pairs"], suite)
    most = max(each["tasks"] for each in rows)
    return {
        "dataset": found["dataset"],
        "content": found["content"],
        "tasks": most,
        "entrants": rows,
        "fewer_tasks": [each["label"] for each in rows if each["tasks"] < most],
        "differs": found["differs"],
    }


def _tied(label: str, pairs: list[dict[str, Any]], suite: str) -> list[str]:
    """Return the entrants that no difference beyond doubt separates from one."""
    return sorted(
        pair["first"] if pair["second"] == label else pair["second"]
        for pair in pairs
        if label in (pair["first"], pair["second"]) and pair[suite]["p_holm"] >= LEVEL
    )


def _markdown(board: Mapping[str, Any], k: int) -> str:
    suites = [suite for suite in reversed(SUITES) if board["entrants"][0][suite]]
    heads = ["rank", "model", *(f"{suite} % [95 %]" for suite in suites), "rank on base", "tasks",
             "samples"]  # fmt: skip
    if len(suites) == 1:
        heads.remove("rank on base")
    lines = [
        f"## {_cell(board['dataset'])}, pass@{k}",
        "",
        f"| {' | '.join(heads)} |",
        f"|{'|'.join('---' if head == 'model' else '---:' for head in heads)}|",
    ]
    for each in board["entrants"]:
        cells = [str(each[suites[0]]["rank"]), _cell(each["label"])]
        cells += [_score(each[suite]) for suite in suites]
        cells += [str(each["base"]["rank"])] if len(suites) > 1 else []
        lines.append(f"| {' | '.join([*cells, str(each['tasks']), str(each['samples'])])} |")
    lines += ["", NOTE]
    if board["fewer_tasks"]:
        names = ", ".join(map(_cell, board["fewer_tasks"]))
        lines.append(f"Judged on fewer tasks than the {board['tasks']} of others: {names}.")
    return "\n".join(lines) + "\n"


NOTE = (
    "Rank: one more than the models that are better beyond doubt (exact paired test, 5 % after"
    " Holm); equal ranks are ties."
)


def _score(found: Mapping[str, Any]) -> str:
    low, high = found["interval"]
    return f"{100 * found['value']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _cell(text: str) -> str:
    """Return anyone's text for a cell: nothing in it is markup, and nothing is hidden."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:MOST])
    return "".join(f"\\{c}" if c in r"\`*_{}[]<>#|!~&@$" else c for c in shown)


MOST = 200
"""Characters of a name that are shown."""
