"""Leaderboards: many models by their results, with intervals, and ranks that chance cannot turn."""

from __future__ import annotations

import base64
import hashlib
import html
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.outputs import Evaluation, entrants, read_evaluations
from evalplus_lite.jobs.session import Result
from evalplus_lite.reports.comparison import Paths, compared
from evalplus_lite.statistics.paired import LEVEL

# A leaderboard as one HTML page: no script, nothing from elsewhere, names are text.

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #57606a; --paper: #fff; --line: #d0d7de;
  --base: #8c6d1f; --plus: #0b63b5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9aa5b1; --paper: #0d1117;
  --line: #30363d; --base: #d9b44a; --plus: #6cb6ff; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th { font-size: .85rem; color: var(--faint); } tbody th { font-size: 1rem; color: var(--ink); }
.name { text-align: left; overflow-wrap: anywhere; min-width: 9rem; }
.middle { text-align: center; }
.range, p { color: var(--faint); font-size: .85rem; } .range { white-space: nowrap; }
svg { width: 12rem; height: 2rem; display: block; } .axis { stroke: var(--line); }
.base { stroke: var(--base); fill: var(--base); } .plus { stroke: var(--plus); fill: var(--plus); }
.key { font-weight: 600; stroke: none; } span.base { color: var(--base); }
span.plus { color: var(--plus); }
@media print { body { margin: 0; max-width: none; } }
"""
MOST_CHARACTERS = 200
"""Characters of a name that are shown."""


def page(summary: Mapping[str, Any]) -> str:
    """Return the page of a leaderboard's summary (``$defs/leaderboard`` of the schema)."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    boards = "".join(_board_section(board, summary["k"]) for board in summary["boards"])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leaderboard</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>Leaderboard</h1>
{boards}<p>Intervals are 95 %. A rank is one more than the number of models that are better beyond
doubt: by the exact paired test on the tasks that both have, at 5 % after Holm's correction for all
pairs. Equal ranks are ties, whatever the scores. evalplus_lite {_text(summary["run"]["version"])},
{_text(summary["run"]["date"])}.</p>
</main>
</body>
</html>
"""


def _board_section(board: Mapping[str, Any], k: int) -> str:
    has_plus = board["entrants"][0]["plus"] is not None
    suites = ["plus", "base"] if has_plus else ["base"]
    heads = "".join(
        f'<th scope="col">rank on {suite}</th><th scope="col"><span class="key {suite}">{suite}'
        "</span> %</th>"
        for suite in suites
    )
    rows = "".join(_row(each, suites) for each in board["entrants"])
    fewer = ", ".join(map(_text, board["fewer_tasks"]))
    note = f"<p>Judged on fewer tasks than others: {fewer}.</p>\n" if fewer else ""
    return f"""<h2>{_text(board["dataset"])}, pass@{k}, {board["tasks"]} tasks</h2>
<div class="wide" tabindex="0" role="region" aria-label="{_text(board["dataset"])}">
<table>
<thead><tr><th scope="col" class="name">model</th>{heads}\
<th scope="col" class="middle">0 to 100 %</th>\
<th scope="col">tasks</th><th scope="col">samples</th></tr></thead>
<tbody>
{rows}</tbody>
</table>
</div>
{note}"""


def _row(each: Mapping[str, Any], suites: list[str]) -> str:
    cells = "".join(
        f"<td>{each[suite]['rank']}</td><td>{100 * each[suite]['value']:.1f}"
        f' <span class="range">[{", ".join(f"{100 * end:.1f}" for end in each[suite]["interval"])}]'
        "</span></td>"
        for suite in suites
    )
    return (
        f'<tr><th scope="row" class="name">{_text(each["label"])}</th>{cells}'
        f"<td>{_picture(each, suites)}</td><td>{each['tasks']}</td><td>{each['samples']}</td>"
        "</tr>\n"
    )


def _picture(each: Mapping[str, Any], suites: list[str]) -> str:
    """Return points with their intervals on a line from 0 to 100 %; the cells say the same."""
    parts = ['<path class="axis" d="M0 16H200M0 4V28M100 10V22M200 4V28"/>']
    for height, suite in zip((10, 22), suites, strict=False):
        low, high = (f"{200 * end:.1f}" for end in each[suite]["interval"])
        point = f"{200 * each[suite]['value']:.1f}"
        parts.append(
            f'<g class="{suite}"><path stroke-width="2" d="M{low} {height}H{high}"/>'
            f'<circle cx="{point}" cy="{height}" r="4"/></g>'
        )
    return f'<svg viewBox="-5 0 210 32" aria-hidden="true">{"".join(parts)}</svg>'


def _text(text: str) -> str:
    """Return anyone's text as text: markup escaped, what cannot be seen written out."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:MOST_CHARACTERS])
    return html.escape(shown)


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
