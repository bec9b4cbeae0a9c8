"""Tables of results: a record that can be written as Markdown, LaTeX (booktabs) and CSV.

The terminal (``cli.console.print_table``) and HTML (``page.rendering``) use the same record.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from evalplus_lite.statistics.detection import MOST_CASES
from evalplus_lite.types import VERDICTS

Cell = str | int | float | None
"""None is an empty cell; a float is shown with as many decimals as it needs."""

MOST_CHARACTERS = 60
"""Maximum length of a value in a cell, in characters."""
WIDE = 8
"""Tables with more columns get a smaller font in LaTeX."""
_LATEX = {
    **{each: f"\\{each}" for each in "{}$&%#_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "★": r"$\star$",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings, with a name for files and a caption.

    The first ``left`` columns are words, the others numbers. ``data`` has the same figures,
    unrounded and in long form, headings first; without it, CSV has the rows as shown.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int = 1
    caption: str = ""
    data: Sequence[Sequence[Cell]] = ()

    def to_markdown(self) -> str:
        """Return the table in Markdown; numbers are right-aligned."""
        marks = ["---" if number < self.left else "---:" for number in range(len(self.columns))]
        lines = [[markdown(name) for name in self.columns], marks]
        lines += [[markdown(cell_text(cell)) for cell in row] for row in self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_latex(self) -> str:
        """Return a table environment for the package booktabs."""
        form = "l" * self.left + "r" * (len(self.columns) - self.left)
        lines = [
            "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}",
            "\\begin{table}",
            "  \\centering",
            *(["  \\small\\setlength{\\tabcolsep}{3pt}"] if len(self.columns) > WIDE else []),
            f"  \\caption{{{latex(self.title)}. {latex(self.caption)}}}",
            f"  \\label{{tab:{re.sub('[^a-z0-9-]', '-', self.name.lower())}}}",
            f"  \\begin{{tabular}}{{{form}}}",
            "    \\toprule",
            f"    {' & '.join(map(latex, self.columns))} \\\\",
            "    \\midrule",
            *(
                f"    {' & '.join(latex(cell_text(cell)) for cell in row)} \\\\"
                for row in self.rows
            ),
            "    \\bottomrule",
            "  \\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_csv(self) -> str:
        """Return the unrounded figures as CSV (RFC 4180) with a line of headings.

        Text that a spreadsheet would take for a formula gets an apostrophe in front.
        """
        stream = io.StringIO()
        rows = self.data or [self.columns, *self.rows]
        csv.writer(stream).writerows([_inert(cell) for cell in row] for row in rows)
        return stream.getvalue()


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal; a dash for None."""
    return "-" if share is None else f"{100 * share:.1f}"


def ends(interval: Sequence[float] | None) -> str:
    """Return an interval as percentages: ``[60.8, 75.0]``; a dash for None."""
    return "-" if interval is None else f"[{', '.join(map(percent, interval))}]"


def sure(share: float | None, interval: Sequence[float] | None) -> str:
    """Return a share as a percentage with its interval: ``68.3 [60.8, 75.0]``."""
    return percent(share) + ("" if interval is None else f" {ends(interval)}")


def short(value: object, most: int = MOST_CHARACTERS) -> str:
    """Return a value as the text of a cell; "" for None."""
    text = "" if value is None else str(value)
    return text if len(text) <= most else text[:most] + "..."


def readable(text: str) -> str:
    """Return a text as one line, without characters that are hidden or reverse its direction."""
    return "".join(each if each.isprintable() else " " for each in text).strip() or "?"


def latex(text: str) -> str:
    """Escape a text for LaTeX."""
    # Remove hidden characters before escaping special ones.
    return "".join(_LATEX.get(each, each) for each in (readable(text) if text else ""))


def cell_text(cell: Cell) -> str:
    """Return a cell's text in Markdown, LaTeX and pages."""
    return "" if cell is None else f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def markdown(text: str) -> str:
    """Escape a text for Markdown, as one line."""
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", readable(text)) if text else ""


def _inert(cell: Cell) -> Cell:
    if not cell or not isinstance(cell, str):
        return cell
    # CSV injection: spreadsheets evaluate a cell that begins like a formula.
    text = readable(cell)
    # A lone dash, which stands for a missing figure, is not a formula.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") and len(text) > 1 else text


# The tables of each kind of result, made from its summary.

Summary: TypeAlias = Mapping[str, Any]
Column: TypeAlias = str | tuple[str, str | Callable[[Any], Cell]]
"""A heading, and the key or function for a row's cell; a single string is both."""
MOST_MODELS = 50
"""Maximum number of an evaluation's model runs shown."""
MOST_PAIRS = 50
"""Maximum number of a comparison's pairs shown."""
MOST_ALARMS = 10
"""Maximum number of a suite's rejected right programs shown."""
MOST_REASONS = 12
"""Maximum number of a stage's reasons shown; the file has all."""


def laid_out(
    name: str, title: str, rows: Iterable[Any], *columns: Column, left: int = 1, caption: str = ""
) -> Table:
    """Return a table with a column for each of ``columns``, and a row for each of ``rows``."""
    pairs = [(each, each) if isinstance(each, str) else each for each in columns]
    cells = [itemgetter(cell) if isinstance(cell, str) else cell for _, cell in pairs]
    lines = [tuple(cell(row) for cell in cells) for row in rows]
    return Table(name, title, [heading for heading, _ in pairs], lines, left, caption)


def evaluation(summary: Summary) -> Iterator[Table]:
    """Yield pass@k and verdicts of each model and temperature, with a row for each suite."""
    groups = summary["groups"]
    suites = ["base", *(["plus"] if summary["plus"] is not None else [])]
    suites += ["strong"] if "strong" in summary else []
    ks = list(dict.fromkeys(k for row in groups for k in row["pass_at_k"]["base"]))
    # A column for each verdict that occurs, in the usual order.
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
        scores, ends = row["pass_at_k"][suite], row["intervals"][suite]
        yield from (sure(scores.get(k), ends.get(k)) for k in ks)
        yield from (row[suite].get(verdict, 0) for verdict in seen)

    yield Table(
        "evaluation",
        f"{summary['dataset']}: {summary['samples']} samples of {summary['tasks']} tasks"
        + ("" if many else "".join(map(_part, groups))),
        [*names, "tests", *(["samples"] if many else []), *(f"{k} % [95 %]" for k in ks), *seen],
        [tuple(line(row, suite)) for row in groups[:MOST_MODELS] for suite in suites],
        left=len(names) + 1,
    )


def _part(row: Summary) -> str:
    """Return how many tasks a partial run covers, in words; "" for a complete run."""
    # A score on part of the tasks must not be mistaken for one on the whole set.
    missing = len(row["tasks_without_samples"])
    return f" (partial: {row['tasks']} of {row['tasks'] + missing} tasks)" if missing else ""


def suite(summary: Summary) -> Iterator[Table]:
    """Yield the number of inputs from each source, and the reasons for dropped ones."""
    title = f"{summary['dataset']}: {summary['tasks']} tasks, {summary['base']} base inputs, "
    rows = [(f"kept: {name}", count) for name, count in summary["sources"].items()]
    rows += [(f"dropped: {name}", count) for name, count in summary["dropped"].items()]
    yield Table("suite", f"{title}{summary['new']} new", ["inputs", "count"], rows)


def lint(summary: Summary) -> Iterator[Table]:
    """Yield the tasks with their verdicts, then the number of tasks by finding."""

    def tested(row: Summary) -> str:
        # How programs are invoked, observed, and compared; "" for a task that was not read.
        words = f"{row['harness']}, {' and '.join(row['observe'])}, {row['compared']}"
        return words if row["harness"] else ""

    yield laid_out(
        "tasks",
        "Tasks",
        summary["tasks"],
        ("task", "task_id"),
        "verdict",
        ("findings", lambda row: " ".join(dict.fromkeys(each["code"] for each in row["findings"]))),
        ("tested", tested),
        ("inputs used", lambda row: f"{row['usable']}/{row['given']}"),
        ("steps", lambda row: "" if row["steps"] is None else f"{row['steps']:,}"),
        left=4,
    )
    codes = [{"code": code, **entry} for code, entry in summary["codes"].items()]
    yield laid_out(
        "findings", "Findings", codes, "code", ("finding", "name"), "remedy", "tasks", left=3
    )
    findings = [{**row, **each} for row in summary["tasks"] for each in row["findings"]]
    yield laid_out(
        "evidence", "Evidence", findings, ("task", "task_id"), "code", "evidence", left=3
    )


def gap(summary: Summary) -> Iterator[Table]:
    """Yield the difference of two scores by cause."""
    scores = [f"{side['label']} {percent(side['pass@1'])}" for side in summary["sides"]]
    yield laid_out(
        "gap",
        f"{summary['dataset']}, {summary['tasks']} tasks: {' and '.join(scores)}",
        [{"cause": cause, **row} for cause, row in summary["causes"].items()],
        *("cause", "what", "samples", "tasks"),
        ("points", lambda row: f"{row['points']:+.2f}"),
        caption="Points of pass@1, second minus first.",
        left=2,
    )


def comparison(summary: Summary) -> Iterator[Table]:
    """Yield the model runs with their scores, then the difference of each pair."""
    runs, pairs = summary["entrants"], summary["pairs"]
    suites = [suite for suite in ("base", "plus") if runs[0][suite] is not None]
    yield laid_out(
        "runs",
        f"{summary['dataset']}: pass@{summary['k']}",
        runs,
        *(("model", "label"), "tasks", "samples"),
        *map(_score, suites),
    )
    shown = f" (the first {MOST_PAIRS} of {len(pairs)} pairs)" if len(pairs) > MOST_PAIRS else ""
    # Holm's correction changes nothing for a single pair.
    adjusted: list[Column] = [("p (Holm)", lambda row: p_value(row["p_holm"]))]
    yield laid_out(
        "pairs",
        f"difference in percentage points, second - first{shown}",
        [
            {**pair, **pair[suite], "tests": suite}
            for pair in pairs[:MOST_PAIRS]
            for suite in suites
        ],
        ("first, second", lambda row: f"{row['first']}, {row['second']}"),
        *("tests", "tasks"),
        ("difference [95 %]", _difference),
        ("p", lambda row: p_value(row["p"])),
        *(adjusted if len(pairs) > 1 else []),
        ("MDE", lambda row: percent(row["visible"])),
        ("won", lambda row: len(row["tasks_won"])),
        ("lost", lambda row: len(row["tasks_lost"])),
        caption="MDE: the minimum detectable effect, at 80 % power and a level of 5 %",
        left=2,
    )


def leaderboard(summary: Summary) -> Iterator[Table]:
    """Yield a table for each suite, with the best model run first."""
    for number, board in enumerate(summary["boards"], 1):
        suites = [suite for suite in ("base", "plus") if board["entrants"][0][suite] is not None]
        # A model without samples for some tasks is scored on other tasks, so it has no rank.
        note = (
            f"{board['verdict']} Rank: one more than the number of models that are significantly"
            " better (exact paired test, 5 % after Holm); equal ranks are ties."
        )
        if board["fewer_tasks"]:
            note += f" Not ranked, no samples for some tasks: {', '.join(board['fewer_tasks'])}."
        yield laid_out(
            f"leaderboard-{number}",
            f"{board['dataset']}: pass@{summary['k']}, {board['tasks']} tasks",
            board["entrants"],
            ("model", "label"),
            *(column for each in suites for column in (_rank(each), _score(each))),
            *("tasks", "samples"),
            caption=note,
        )


def reduction(summary: Summary) -> Iterator[Table]:
    """Yield the number of inputs before and after."""
    tasks = max(1, summary["tasks"])
    counts = {
        "inputs before": summary["cases"],
        "base inputs, kept": summary["base"],
        "further inputs chosen": summary["chosen"],
    }
    yield Table(
        "reduction",
        f"{summary['dataset']}: {summary['tasks']} tasks, {summary['mode']}",
        ["", "inputs", "a task"],
        [(name, count, f"{count / tasks:.3f}") for name, count in counts.items()],
    )


def cross_validation(summary: Summary) -> Iterator[Table]:
    """Yield the share of unseen models' failures that each policy still detects, and each model's
    pass@1.
    """
    yield laid_out(
        "crossval",
        f"{summary['dataset']}: plus-only failures of unseen models that are still rejected",
        summary["pooled"],
        ("suite", "policy"),
        ("plus inputs a task", lambda row: f"{row['size']:.1f}"),
        ("rejected", lambda row: f"{row['kept']:.0f}/{row['failures']}"),
        ("% [95 %]", lambda row: sure(row["share"], row["interval"])),
        ("random %", lambda row: percent(row["share_random"])),
        ("in contract", lambda row: f"{row['kept_accepted']:.0f}/{row['failures_accepted']}"),
    )
    names = {"base": "base", "plus": "all", "reduced": "chosen", "random": "random"}
    yield Table(
        "crossval-models",
        "pass@1 of each model, left out",
        ["model", "suite", *(f"{name} % [95 %]" for name in names.values())],
        [
            (
                line["model"],
                line["policy"],
                *(sure(line["pass@1"][key], line.get("intervals", {}).get(key)) for key in names),
            )
            for line in summary["models"]
            # There are many policies with a size; their figures are in the table above.
            if "size" not in line["policy"]
        ],
        left=2,
    )


def quality(summary: Summary) -> Iterator[Table]:
    """Yield, for each suite and its base cases alone, the rates, then detection by size."""
    counts = summary["programs"]
    rows = [
        {**suite[cases], "suite": suite["name"], "cases": cases, "of": suite}
        for suite in summary["suites"]
        for cases in ("all", "base")
        if suite.get(cases) is not None
    ]
    yield laid_out(
        "quality",
        f"{summary['tasks']} tasks, {counts['right']} right and {counts['wrong']} wrong programs",
        rows,
        *("suite", "cases"),
        *_share("right accepted", lambda row: row["tpr"]),
        *_share("wrong rejected", lambda row: row["tnr"]),
        ("by tasks", lambda row: ends(row["tnr"]["interval_of_tasks"])),
        *_share("past base", lambda row: row.get("tnr_past_base")),
        *_share("tasks all rejected", lambda row: row["verifier_accuracy"]),
        left=2,
    )

    def at(number: int) -> Column:
        def cell(row: Summary) -> str:
            curve = row["coverage"]["curve"]
            return percent(curve[number - 1] if len(curve) >= number else None)

        return f"N={number} %", cell

    def equivalent(row: Summary) -> str:
        # One figure per suite, because a mutant's equivalence does not depend on the cases.
        mutants = row["of"].get("mutants")
        return percent(mutants["equivalent_share"]) if mutants and row["cases"] == "all" else ""

    yield laid_out(
        "coverage",
        f"detection rate of N cases drawn at random, and its mean over N up to {MOST_CASES};"
        " mutants",
        rows,
        *("suite", "cases"),
        ("a task", lambda row: f"{row['of']['cases_a_task'][row['cases']]:.1f}"),
        *map(at, (1, 10, 100)),
        ("area %", lambda row: percent(row["coverage"]["area"])),
        ("all %", lambda row: percent(row["detection_rate"]["value"])),
        *_share(
            "mutants noticed",
            lambda row: (mutants := row["of"].get("mutants")) and mutants[row["cases"]]["score"],
        ),
        ("equivalent %", equivalent),
        left=2,
    )


def false_alarms(name: str, alarms: Sequence[Summary]) -> Table:
    """Return the right programs that a suite rejects."""
    rest = f" (the first {MOST_ALARMS} of {len(alarms)})" if len(alarms) > MOST_ALARMS else ""
    return laid_out(
        "false-alarms",
        f"{name}: right programs that are rejected{rest}",
        alarms[:MOST_ALARMS],
        *(("task", "task_id"), "verdict"),
        ("smallest input", lambda row: short(row.get("input"))),
        ("expected", lambda row: short(row.get("expected"))),
        ("actual", lambda row: short(row.get("actual"))),
        left=5,
    )


def survivors(summary: Summary) -> Iterator[Table]:
    """Yield the numbers of detected mutants."""
    share = summary["killed_by_base"] / max(1, summary["mutants"])
    yield Table(
        "mutants",
        f"{summary['dataset']}: mutants of {summary['tasks']} references",
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
    """Yield the funnel, then the reasons for rejected functions."""
    yield Table("funnel", "Funnel", ["stage", "left"], list(summary["counts"].items()))
    if tests := summary.get("tests"):
        yield Table("tests", "Tests", ["of the packages", "number"], list(tests.items()))
    stages: dict[str, list[tuple[int, str]]] = {}  # the most frequent reasons of each
    for row in sorted(summary["rejects"], key=lambda row: (-row["count"], row["reason"])):
        stages.setdefault(row["stage"], []).append((row["count"], row["reason"]))
    rows: list[tuple[str, str, int]] = []
    for stage, reasons in stages.items():
        rows += [(stage, reason, count) for count, reason in reasons[:MOST_REASONS]]
        if rest := reasons[MOST_REASONS:]:
            rows.append((stage, f"{len(rest)} other reasons", sum(count for count, _ in rest)))
    yield Table("rejected", "Rejected", ["stage", "reason", "functions"], rows, left=2)


def score(summary: Summary) -> Iterator[Table]:
    """Yield pass@k of predictions, the same by group, and the reasons for wrong predictions."""
    intervals = summary.get("intervals", {})
    values = summary.get("pass_at_k", {})
    scores = [(k, sure(value, intervals.get(k))) for k, value in values.items()]
    yield Table("predictions", "Predictions", ["", "% [95 %]"], scores)
    groups = {"all": "Overall", "split": "By split", "package": "By package"}
    for group, title in groups.items():
        yield laid_out(
            title.lower().replace(" ", "-"),
            title,
            [row for row in summary["tables"] if row["group"] == group],
            *("group", ("", "name"), "cases", ("functions", "tasks")),
            ("pass@1 % [95 %]", lambda row: sure(row["pass@1"], row.get("interval"))),
            left=2,
        )
    wrong = list(summary["wrong"].items())
    yield Table("wrong", "Why predictions are wrong", ["reason", "predictions"], wrong)


def exe_report(summary: Summary) -> Iterator[Table]:
    """Yield each model's pass@1 on all cases and on those that raise."""

    def scored(cases: Summary | None) -> str:
        return "-" if cases is None else sure(cases["pass@1"], cases["interval"])

    yield laid_out(
        "predictions",
        "Predictions",
        summary["models"],
        "model",
        ("pass@1 % [95 %]", lambda row: scored(row["all"])),
        ("errors %", lambda row: scored(row["errors"])),
        ("cases", lambda row: row["all"]["cases"]),
        ("functions (sigma)", lambda row: "{mean:.3f} ({sigma:.3f})".format(**row["functions"])),
        ("cost", lambda row: "" if row["cost"] is None else f"{row['cost']:.2f}"),
    )


def efficiency(summary: Summary) -> Iterator[Table]:
    """Yield the models, ranked by eff@1."""

    def rounded(key: str, form: str) -> Callable[[Summary], Cell]:
        return lambda row: None if row[key] is None else format(row[key], form)

    yield laid_out(
        "efficiency",
        f"{summary['dataset']}: efficiency of {summary['tasks']} tasks, counted work",
        summary["models"],
        ("model", lambda row: row["model"] or "samples"),
        "samples",
        ("pass@1", lambda row: percent(row["pass@1"])),
        ("eff@1 [95 %]", lambda row: sure(row["eff@1"], row["eff_interval"])),
        ("DPS", rounded("dps", ".1f")),
        ("DPS_norm", rounded("dps_norm", ".1f")),
        ("slower", lambda row: None if row["slower"] is None else percent(row["slower"])),
        *("wrong", "late", ("not counted", "uncounted")),
        caption="eff@1: ENAMEL's score; DPS: share of the pool of right programs that do at least"
        " as much work; slower: right programs of a higher class of growth than the best; wrong,"
        " late, not counted: programs that pass the tests, but fail, or cannot be counted, on"
        " larger inputs",
    )
    if summary["pairs"]:
        yield laid_out(
            "efficiency-pairs",
            "efficiency in pairs",
            summary["pairs"],
            *("first", "second", "tasks", ("less work", "less"), ("more work", "more")),
            ("ratio", rounded("ratio", ".2f")),
            ("p", lambda row: p_value(row["p"])),
            caption="On tasks that both solve, by the median work of their right programs; within"
            " 20 % is equal. ratio: geometric mean of first over second; p: exact, after Holm",
            left=2,
        )


LAYOUTS: Mapping[str, Callable[[Summary], Iterator[Table]]] = {
    "evaluation": evaluation,
    "suite": suite,
    "lint": lint,
    "gap": gap,
    "comparison": comparison,
    "leaderboard": leaderboard,
    "reduction": reduction,
    "crossval": cross_validation,
    "quality": quality,
    "mutants": survivors,
    "mining": mining,
    "score": score,
    "exe_report": exe_report,
    "efficiency": efficiency,
}
"""By kind of result."""


def p_value(p: float) -> str:
    """Return a p-value with three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def points(value: float) -> str:
    """Return a difference in percentage points, with its sign."""
    return f"{100 * value:+.1f}"


def _score(suite: str) -> Column:
    return f"{suite} % [95 %]", lambda row: sure(row[suite]["value"], row[suite]["interval"])


def _rank(suite: str) -> Column:
    return f"rank on {suite}", lambda row: row[suite]["rank"] or "-"


def _difference(row: Summary) -> str:
    return f"{points(row['difference'])} [{', '.join(map(points, row['interval']))}]"


def _share(heading: str, of: Callable[[Summary], Summary | None]) -> tuple[Column, Column]:
    """Return a column of counts and one of shares; both are empty where ``of`` returns None."""

    def counts(row: Summary) -> str:
        return f"{share['hits']}/{share['total']}" if (share := of(row)) else ""

    def shares(row: Summary) -> str:
        return sure(share["value"], share["interval"]) if (share := of(row)) else ""

    return (heading, counts), ("% [95 %]", shares)
