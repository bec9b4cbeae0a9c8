"""The tables of each kind of result, made from its summary for terminal, pages and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evalplus_lite.jobs.tables import Cell, Table, ends, percent, short, sure
from evalplus_lite.statistics.detection import MOST_CASES
from evalplus_lite.types import VERDICTS

Summary: TypeAlias = Mapping[str, Any]
MOST_MODELS = 50
"""Models and temperatures of an evaluation that are shown."""
MOST_PAIRS = 50
"""Pairs of models that a comparison shows."""
MOST_ALARMS = 10
"""Rejected right programs of a suite that are shown."""
MOST_EXAMPLES = 20
"""Disputed inputs that are shown."""
"""Characters of a disputed value that are shown."""
MOST_REASONS = 12
"""Reasons of a stage that are shown; the file holds all."""


def evaluation(summary: Summary) -> Iterator[Table]:
    """Yield pass@k and verdicts of each model and temperature, a row for each suite."""
    groups = summary["groups"]
    suites = ["base", *(["plus"] if summary["plus"] is not None else [])]
    suites += ["strong"] if "strong" in summary else []
    ks = list(dict.fromkeys(k for row in groups for k in row["pass_at_k"]["base"]))
    seen = [v for v in VERDICTS if any((summary[suite] or {}).get(v) for suite in suites)]
    many, by_heat = len(groups) > 1, any(row["temperature"] is not None for row in groups)
    names = [*(["model"] if many else []), *(["temperature"] if many and by_heat else [])]

    def line(row: Summary, suite: str) -> Iterator[Cell]:
        if many:
            yield f"{row['model'] or '(not named)'}{_part(row)}"
        if many and by_heat:
            yield "" if row["temperature"] is None else f"{row['temperature']:g}"
        yield suite
        if many:
            yield row["samples"]
        yield from (sure(*(row[key][suite].get(k) for key in SCORES)) for k in ks)
        yield from (row[suite].get(verdict, 0) for verdict in seen)

    yield Table(
        "evaluation",
        f"{summary['dataset']}: {summary['samples']} samples of {summary['tasks']} tasks"
        + ("" if many else "".join(map(_part, groups))),
        "",
        [*names, "tests", *(["samples"] if many else []), *(f"{k} % [95 %]" for k in ks), *seen],
        [tuple(line(row, suite)) for row in groups[:MOST_MODELS] for suite in suites],
        left=len(names) + 1,
    )


SCORES = ("pass_at_k", "intervals")


def _part(row: Summary) -> str:
    """Return how many tasks a run covers that has no samples for some, else nothing."""
    missing = len(row["tasks_without_samples"])
    return f" (partial: {row['tasks']} of {row['tasks'] + missing} tasks)" if missing else ""


def suite(summary: Summary) -> Iterator[Table]:
    """Yield how many inputs of each source are kept, and why others are dropped."""
    title = f"{summary['dataset']}: {summary['tasks']} tasks, {summary['base']} base inputs, "
    rows = [(f"kept: {name}", count) for name, count in summary["sources"].items()]
    rows += [(f"dropped: {name}", count) for name, count in summary["dropped"].items()]
    yield Table("suite", f"{title}{summary['new']} new", "", ["inputs", "count"], rows)


def lint(summary: Summary) -> Iterator[Table]:
    """Yield each task with its verdict, then the number of tasks by finding."""
    rows = summary["tasks"]
    yield Table(
        "tasks",
        "Tasks",
        "",
        ["task", "verdict", "findings", "tested", "inputs used", "steps"],
        [
            (
                row["task_id"],
                row["verdict"],
                " ".join(dict.fromkeys(each["code"] for each in row["findings"])),
                _tested(row),
                f"{row['usable']}/{row['given']}",
                "" if row["steps"] is None else f"{row['steps']:,}",
            )
            for row in rows
        ],
        left=4,
    )
    yield Table(
        "findings",
        "Findings",
        "",
        ["code", "finding", "remedy", "tasks"],
        [
            (code, entry["name"], entry["remedy"], entry["tasks"])
            for code, entry in summary["codes"].items()
        ],
        left=3,
    )
    yield Table(
        "evidence",
        "Evidence",
        "",
        ["task", "code", "evidence"],
        [
            (row["task_id"], each["code"], each["evidence"])
            for row in rows
            for each in row["findings"]
        ],
        left=3,
    )


def gap(summary: Summary) -> Iterator[Table]:
    """Yield the difference of two scores by cause."""
    scores = [f"{side['harness']} {percent(side['pass@1'])}" for side in summary["sides"]]
    title = f"{summary['dataset']}, {summary['tasks']} tasks: {' and '.join(scores)}"
    yield Table(
        "gap",
        title,
        "Points of pass@1, second less first.",
        ["cause", "what", "samples", "tasks", "points"],
        [
            (cause, row["what"], row["samples"], row["tasks"], f"{row['points']:+.2f}")
            for cause, row in summary["causes"].items()
        ],
        left=2,
    )


def _tested(row: Summary) -> str:
    """Return how a task's programs are invoked, observed, and compared."""
    if row["harness"] is None:
        return ""
    return f"{row['harness']}, {' and '.join(row['observe'])}, {row['compared']}"


def contracts(summary: Summary) -> Iterator[Table]:
    """Yield each task with its draft, and how many mutated inputs that accepts."""
    rows, none = summary["drafts"], {"accepted": 0, "tried": 0}
    yield Table(
        "contracts",
        f"{sum(row['file'] is not None for row in rows)} of {len(rows)} tasks have a draft",
        "",
        ["task", "draft", "turns", "accepts", "of mutated"],
        [
            (
                row["task_id"],
                row["file"] or f"none: {row['problem'][:100]}",
                row["turns"],
                *row.get("mutated_inputs", none).values(),
            )
            for row in rows
        ],
        left=2,
    )


def comparison(summary: Summary) -> Iterator[Table]:
    """Yield the model runs with their scores, then the difference of each pair."""
    runs, pairs = summary["entrants"], summary["pairs"]
    suites = [suite for suite in ("base", "plus") if runs[0][suite] is not None]
    yield Table(
        "runs",
        f"{summary['dataset']}: pass@{summary['k']}",
        "",
        ["model", "tasks", "samples", *(f"{suite} % [95 %]" for suite in suites)],
        [
            (run["label"], run["tasks"], run["samples"], *(_score(run[suite]) for suite in suites))
            for run in runs
        ],
    )
    shown = f" (the first {MOST_PAIRS} of {len(pairs)} pairs)" if len(pairs) > MOST_PAIRS else ""
    many = ["p"] if len(pairs) == 1 else ["p", "p (Holm)"]
    yield Table(
        "pairs",
        f"difference in percentage points, second - first{shown}",
        "MDE: the minimum detectable effect, at 80 % power and a level of 5 %",
        ["first, second", "tests", "tasks", "difference [95 %]", *many, "MDE", "won", "lost"],
        [
            (
                f"{pair['first']}, {pair['second']}",
                suite,
                pair["tasks"],
                _difference(pair[suite]),
                *map(p_value, (pair[suite]["p"], pair[suite]["p_holm"])[: len(many)]),
                percent(pair[suite]["visible"]),
                len(pair[suite]["tasks_won"]),
                len(pair[suite]["tasks_lost"]),
            )
            for pair in pairs[:MOST_PAIRS]
            for suite in suites
        ],
        left=2,
    )


def leaderboard(summary: Summary) -> Iterator[Table]:
    """Yield a table for each suite, the model runs from the best."""
    for number, board in enumerate(summary["boards"], 1):
        suites = [suite for suite in ("base", "plus") if board["entrants"][0][suite] is not None]
        note = f"{board['verdict']} {RANKS}"
        if board["fewer_tasks"]:
            note += f" Not ranked, no samples for some tasks: {', '.join(board['fewer_tasks'])}."
        yield Table(
            f"leaderboard-{number}",
            f"{board['dataset']}: pass@{summary['k']}, {board['tasks']} tasks",
            note,
            [
                "model",
                *(name for each in suites for name in (f"rank on {each}", f"{each} % [95 %]")),
                "tasks",
                "samples",
            ],
            [
                (
                    run["label"],
                    *(
                        cell
                        for each in suites
                        for cell in (run[each]["rank"] or "-", _score(run[each]))
                    ),
                    run["tasks"],
                    run["samples"],
                )
                for run in board["entrants"]
            ],
        )


RANKS = (
    "Rank: one more than the number of models that are significantly better (exact paired test, 5 %"
    " after Holm); equal ranks are ties."
)


def reduction(summary: Summary) -> Iterator[Table]:
    """Yield how many inputs there were and are."""
    tasks = max(1, summary["tasks"])
    rows = [
        ("inputs before", summary["cases"]),
        ("base inputs, kept", summary["base"]),
        ("further inputs chosen", summary["chosen"]),
    ]
    yield Table(
        "reduction",
        f"{summary['dataset']}: {summary['tasks']} tasks, {summary['mode']}",
        "",
        ["", "inputs", "a task"],
        [(name, count, f"{count / tasks:.3f}") for name, count in rows],
    )


def cross_validation(summary: Summary) -> Iterator[Table]:
    """Yield the share of unseen models' failures that each policy preserves, and each model's
    pass@1.
    """
    yield Table(
        "crossval",
        f"{summary['dataset']}: plus-only failures of unseen models that are still rejected",
        "",
        ["suite", "plus inputs a task", "rejected", "% [95 %]", "random %", "in contract"],
        [
            (
                line["policy"],
                f"{line['size']:.1f}",
                f"{line['kept']:.0f}/{line['failures']}",
                sure(line["share"], line["interval"]),
                percent(line["share_random"]),
                f"{line['kept_accepted']:.0f}/{line['failures_accepted']}",
            )
            for line in summary["pooled"]
        ],
    )
    names = {"base": "base", "plus": "all", "reduced": "chosen", "random": "random"}
    yield Table(
        "crossval-models",
        "pass@1 of each model, left out",
        "",
        ["model", "suite", *(f"{name} % [95 %]" for name in names.values())],
        [
            (
                line["model"],
                line["policy"],
                *(sure(line["pass@1"][key], line.get("intervals", {}).get(key)) for key in names),
            )
            for line in summary["models"]
            if "size" not in line["policy"]
        ],
        left=2,
    )


def quality(summary: Summary) -> Iterator[Table]:
    """Yield, for each suite and its base cases alone, the rates, then detection by size."""
    counts = summary["programs"]
    rows = [
        (suite["name"], kind, suite[kind], suite)
        for suite in summary["suites"]
        for kind in ("all", "base")
        if suite.get(kind) is not None
    ]
    yield Table(
        "quality",
        f"{summary['tasks']} tasks, {counts['right']} right and {counts['wrong']} wrong programs",
        "",
        [
            *("suite", "cases", "right accepted", "% [95 %]", "wrong rejected", "% [95 %]"),
            *("by tasks", "past base", "% [95 %]", "tasks all rejected", "% [95 %]"),
        ],
        [
            (
                name,
                kind,
                *_share(figures["tpr"]),
                *_share(figures["tnr"]),
                ends(figures["tnr"]["interval_of_tasks"]),
                *_share(figures.get("tnr_past_base")),
                *_share(figures["verifier_accuracy"]),
            )
            for name, kind, figures, _ in rows
        ],
        left=2,
    )
    yield Table(
        "coverage",
        f"detection rate of N cases drawn at random, and its mean over N up to {MOST_CASES};"
        " mutants",
        "",
        [
            *("suite", "cases", "a task", "N=1 %", "N=10 %", "N=100 %", "area %", "all %"),
            *("mutants noticed", "% [95 %]", "equivalent %"),
        ],
        [
            (
                name,
                kind,
                f"{suite['cases_a_task'][kind]:.1f}",
                *(percent(_at(figures["coverage"]["curve"], n)) for n in (1, 10, 100)),
                percent(figures["coverage"]["area"]),
                percent(figures["detection_rate"]["value"]),
                *_mutants(suite.get("mutants"), kind),
            )
            for name, kind, figures, suite in rows
        ],
        left=2,
    )


def false_alarms(name: str, alarms: Sequence[Summary]) -> Table:
    """Return the right programs that a suite rejects."""
    rest = f" (the first {MOST_ALARMS} of {len(alarms)})" if len(alarms) > MOST_ALARMS else ""
    return Table(
        "false-alarms",
        f"{name}: right programs that are rejected{rest}",
        "",
        ["task", "verdict", "smallest input", "expected", "actual"],
        [
            (row["task_id"], row["verdict"], *map(short, map(row.get, VALUES)))
            for row in alarms[:MOST_ALARMS]
        ],
        left=5,
    )


VALUES = ("input", "expected", "actual")


def survivors(summary: Summary) -> Iterator[Table]:
    """Yield how many mutants are noticed."""
    share = summary["killed_by_base"] / max(1, summary["mutants"])
    yield Table(
        "mutants",
        f"{summary['dataset']}: mutants of {summary['tasks']} references",
        "",
        ["", "mutants", "% [95 %]"],
        [
            ("all", summary["mutants"], ""),
            ("noticed", summary["killed"], sure(summary["score"], summary["interval"])),
            ("noticed by base inputs", summary["killed_by_base"], percent(share)),
            ("suspected equivalents", summary["suspected_equivalents"], ""),
            ("noticed, without those", summary["killed"], percent(summary["adjusted_score"])),
        ],
    )


def mining(summary: Summary) -> Iterator[Table]:
    """Yield the funnel, then why functions were rejected."""
    yield Table("funnel", "Funnel", "", ["stage", "left"], list(summary["counts"].items()))
    stages: dict[str, list[tuple[int, str]]] = {}
    for row in summary["rejects"]:
        stages.setdefault(row["stage"], []).append((row["count"], row["reason"]))
    rows: list[tuple[str, str, int]] = []
    for stage, reasons in stages.items():
        reasons.sort(key=lambda each: (-each[0], each[1]))
        rows += [(stage, reason, count) for count, reason in reasons[:MOST_REASONS]]
        if rest := reasons[MOST_REASONS:]:
            rows.append((stage, f"{len(rest)} other reasons", sum(count for count, _ in rest)))
    yield Table("rejected", "Rejected", "", ["stage", "reason", "functions"], rows, left=2)


def score(summary: Summary) -> Iterator[Table]:
    """Yield pass@k of predictions, then the same by group, then why predictions are wrong."""
    intervals = summary.get("intervals", {})
    yield Table(
        "predictions",
        "Predictions",
        "",
        ["", "% [95 %]"],
        [(k, sure(value, intervals.get(k))) for k, value in summary.get("pass_at_k", {}).items()],
    )
    groups = dict.fromkeys(row["group"] for row in summary["tables"])
    first = {
        "all": "Overall",
        "split": "By split",
        "package": "By package",
        "question": "By question",
    }
    for title, chosen in (
        *((title, {group}) for group, title in first.items()),
        ("By statistic", set(groups) - set(first)),
    ):
        yield Table(
            title.lower().replace(" ", "-"),
            title,
            "",
            ["group", "", "cases", "functions", "pass@1 % [95 %]"],
            [
                (*(row[key] for key in ROW), sure(row["pass@1"], row.get("interval")))
                for row in summary["tables"]
                if row["group"] in chosen
            ],
            left=2,
        )
    yield Table(
        "wrong",
        "Why predictions are wrong",
        "",
        ["reason", "predictions"],
        list(summary["wrong"].items()),
    )


def exe_report(summary: Summary) -> Iterator[Table]:
    """Yield each model's pass@1 on all cases and on those that raise."""
    yield Table(
        "predictions",
        "Predictions",
        "",
        ["model", "pass@1 % [95 %]", "errors %", "cases", "functions (sigma)", "cost"],
        [
            (
                row["model"],
                *(
                    "-" if row[kind] is None else sure(row[kind]["pass@1"], row[kind]["interval"])
                    for kind in ("all", "errors")
                ),
                row["all"]["cases"],
                f"{row['functions']['mean']:.3f} ({row['functions']['sigma']:.3f})",
                "" if row["cost"] is None else f"{row['cost']:.2f}",
            )
            for row in summary["models"]
        ],
    )


ROW = ("group", "name", "cases", "tasks")
LAYOUTS: Mapping[str, Callable[[Summary], Iterator[Table]]] = {
    "evaluation": evaluation,
    "suite": suite,
    "lint": lint,
    "gap": gap,
    "contracts": contracts,
    "comparison": comparison,
    "leaderboard": leaderboard,
    "reduction": reduction,
    "crossval": cross_validation,
    "quality": quality,
    "mutants": survivors,
    "mining": mining,
    "score": score,
    "exe_report": exe_report,
}
"""By kind of result; kinds of files are named as in ``jobs.outputs``."""


def p_value(p: float) -> str:
    """Return a p-value with three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def points(value: float) -> str:
    """Return a difference in percentage points, with its sign."""
    return f"{100 * value:+.1f}"


def _score(row: Summary) -> str:
    return sure(row["value"], row["interval"])


def _difference(row: Summary) -> str:
    return f"{points(row['difference'])} [{', '.join(map(points, row['interval']))}]"


def _share(row: Summary | None) -> tuple[Cell, Cell]:
    if row is None:
        return "", ""
    return f"{row['hits']}/{row['total']}", sure(row["value"], row["interval"])


def _at(curve: Sequence[float], number: int) -> float | None:
    return curve[number - 1] if len(curve) >= number else None


def _mutants(row: Summary | None, kind: str) -> tuple[Cell, Cell, Cell]:
    if row is None:
        return "", "", ""
    return *_share(row[kind]["score"]), percent(row["equivalent_share"]) if kind == "all" else ""
