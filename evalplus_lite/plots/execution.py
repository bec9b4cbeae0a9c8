"""What exe-report found, as tables: models, trends, runs, costs, and the tasks themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.plots import execution_panels as panels
from evalplus_lite.plots import execution_pictures as pictures
from evalplus_lite.plots.material import Material, Missing, Product
from evalplus_lite.plots.tables import Cell, Table, percent

Summary = Mapping[str, Any]
SHOWN = 60
"""Rows of the tables of trends and constructs as they are shown; CSV has all."""


def execution(material: Material) -> Iterator[Product]:
    """Yield each table and figure of the paper on execution prediction, or why there is none."""
    found = False
    for output, ending in material.of("execution"):
        found = True
        try:
            yield from [*_made(output.summary, ending)]
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
            raise InputError(
                f"is not as exe-report wrote it: {type(error).__name__}: {error}",
                path=output.path,
                remedy="make it again with exe-report",
            ) from None
    if not found:
        yield Missing("execution", "needs a folder of exe-report")


def _made(summary: Summary, ending: str) -> Iterator[Product]:
    for name, (make, reason) in MAKERS.items():
        made = make(summary, f"{name}{ending}")
        yield Missing(f"{name}{ending}", reason) if made is None else made
    for each in summary.get("missing", ()):
        yield Missing(f"{each['name']}{ending}", each["reason"])


def _scores(summary: Summary, name: str) -> Table | None:
    rows = summary["models"]
    if not rows:
        return None
    caption = (
        f"Pass@1 on {summary['answered']} of {summary['cases']} cases, and on those that raise; "
        "95 % intervals count the cases of a function as alike as they are."
    )
    if not summary["same_cases"]:
        caption += " The models did not answer the same cases."
    shown = [(row["model"], *_sure(row["all"]), *_sure(row["errors"]), row["all"]["cases"],
              row["errors"] and row["errors"]["cases"]) for row in rows]  # fmt: skip
    heads = ("model", "all, %", "all, 95 %", "errors, %", "errors, 95 %", "cases", "raising")
    return Table(name, "Pass@1 (table 1)", caption, heads, shown, data=_long(rows))


def _long(rows: Sequence[Summary]) -> list[tuple[Cell, ...]]:
    found: list[tuple[Cell, ...]] = [
        ("model", "cases_of", "cases", "functions", "pass_at_1", "low", "high")
    ]
    found += [
        (row["model"], kind, some["cases"], some["functions"], some["pass@1"], *some["interval"])
        for row in rows
        for kind in ("all", "errors")
        if (some := row[kind]) is not None
    ]
    return found


def _functions(summary: Summary, name: str) -> Table | None:
    rows = [
        (row["model"], own["count"], f"{own['mean']:.3f}", f"{own['sigma']:.3f}",
         *own["histogram"])
        for row in summary["models"]
        if (own := row["functions"])
    ]  # fmt: skip
    heads = ("model", "functions", "mean", "sigma",
             *(f"from {n / 10:.1f}" for n in range(10)))  # fmt: skip
    caption = (
        "Mean and standard deviation of the functions' pass rates, and how many functions have a "
        "rate in each tenth. The paper has 0.742 and 0.293 for GPT-4o."
    )
    return Table(name, "Pass rates of functions", caption, heads, rows) if rows else None


def _runs(summary: Summary, name: str) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    data: list[tuple[Cell, ...]] = [("model", "run", "pass_at_1")]
    for row in summary["models"]:
        runs = row["runs"]
        if runs is not None:
            some = runs["pass@1"]
            shares = [percent(each) for each in (min(some), max(some), runs["deviation"])]
            rows.append((row["model"], len(some), *shares, runs["within"], runs["between"]))
            data += [(row["model"], number, each) for number, each in enumerate(some)]
    heads = ("model", "runs", "lowest %", "highest %", "deviation %", "within", "between")
    caption = (
        "Pass@1 of each run of a model on the same cases. Within: the variance of one case's "
        "answers; between: that of the cases' pass rates."
    )
    return Table(name, "Variance between runs", caption, heads, rows, data=data) if rows else None


def _questions(summary: Summary, name: str) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    data: list[tuple[Cell, ...]] = [("model", "question", "cases", "rate", "low", "high")]
    for row in summary.get("questions", ()):
        for kind, own in row["kinds"].items():
            rows.append((row["model"], kind, own["cases"], *_sure(own)))
            data.append((row["model"], kind, own["cases"], own["pass@1"], *own["interval"]))
        if (own := row["consistency"]) is not None:
            ends = [percent(end) for end in own["interval"]]
            shown = (percent(own["mean"]), f"{ends[0]} to {ends[1]}")
            rows.append((row["model"], "consistency", own["moments"], *shown))
            data.append(
                (row["model"], "consistency", own["moments"], own["mean"], *own["interval"])
            )
    caption = (
        "Pass@1 by what was asked of a moment of a run, and REval's incremental consistency over "
        "moments that were asked about in every way."
    )
    heads = ("model", "question", "cases", "%", "95 %")
    return Table(name, "Moments of runs", caption, heads, rows, left=2, data=data) if rows else None


def _trends(summary: Summary, name: str) -> Table | None:
    known = ("measure", "scope", "model", "cases", "functions", "zero", "scale")
    keys = (*known, "spearman", "spearman_low", "spearman_high",
            "slope", "slope_low", "slope_high", "intercept")  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    data: list[tuple[Cell, ...]] = [keys]
    labels = dict.fromkeys(row["model"] for row in summary["trends"])
    for row in summary["trends"]:
        ranks, fit = row["spearman"], row["fit"]
        data.append(
            (
                *(row[key] for key in known),
                *((ranks["value"], *ranks["interval"]) if ranks else (None,) * 3),
                *((fit["slope"], *fit["interval"], fit["intercept"]) if fit else (None,) * 4),
            )
        )
        if row["model"] == next(iter(labels)):
            rows.append(
                (
                    row["measure"],
                    row["scope"],
                    row["cases"],
                    _coefficient(ranks, "value", 1, 2),
                    _coefficient(fit, "slope", 100, 1),
                    "x10" if row["scale"] == "logarithmic" else "x+1",
                )
            )
    caption = (
        f"{next(iter(labels), '')}: Spearman's coefficient of pass@1 with each measure, and the "
        "change of pass@1 in points where the measure is ten times (x10) or one (x+1) larger, by "
        "least squares; 95 % intervals by function. Per model, all rows: the CSV."
    )
    heads = ("measure", "cases of", "cases", "Spearman [95 %]", "points [95 %]", "per")
    title = "Pass@1 by measure (figures 5, 8, 10)"
    return Table(name, title, caption, heads, rows[:SHOWN], left=2, data=data) if rows else None


def _coefficient(found: Summary | None, key: str, scale: float, digits: int) -> str:
    if found is None:
        return "-"
    value, low, high = (scale * each for each in (found[key], *found["interval"]))
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _called_most(summary: Summary, name: str) -> Table | None:
    rows = [
        (row["function"], row["calls"], row["cases"], percent(row["pass@1"]))
        for row in summary["called_most"]
    ]
    caption = "Functions with most calls in a run (median) of those that are answered well."
    heads, title = (
        ("function", "calls", "cases", "pass@1 %"),
        "Many calls, well answered (figure 7)",
    )
    return Table(name, title, caption, heads, rows) if rows else None


def _cost(summary: Summary, name: str) -> Table | None:
    rows: list[tuple[Cell, ...]] = [
        (
            f"predictions of {row['model']}",
            row["predictions"],
            row["tokens"]["prompt"],
            row["tokens"]["completion"],
            f"{row['tokens']['a_prediction']:.0f}",
            row["cost"],
        )
        for row in summary["models"]
        if row["tokens"]["a_prediction"]
    ]
    made = summary["generation"]
    if made is not None:
        tokens = made["prompt"] + made["completion"]
        rows.append((f"inputs by {', '.join(made['models']) or 'a model'}", made["functions"],
                     made["prompt"], made["completion"], f"{tokens / made['functions']:.0f}",
                     made["cost"]))  # fmt: skip
    caption = (
        "Tokens in all and a prediction, or a function whose inputs a model wrote, and what they "
        "cost by the prices given. The paper has 1,112 tokens a batch of inputs and 1,123 a case."
    )
    heads = ("what", "asked", "tokens in", "tokens out", "tokens each", "cost")
    return Table(name, "Tokens and cost", caption, heads, rows) if rows else None


def _sizes(summary: Summary, name: str) -> Table | None:
    rows: list[tuple[Cell, ...]] = [
        (row["measure"], row["median"], row["paper_median"], row["max"], row["paper_max"])
        for row in summary["sizes"]
    ]
    caption = "Medians and maxima over functions, beside the paper's (section 2.2)."
    heads = ("measure", "median", "median in the paper", "most", "most in the paper")
    return Table(name, "Sizes of tasks", caption, heads, rows) if rows else None


def _variation(summary: Summary, name: str) -> Table | None:
    rows: list[tuple[Cell, ...]] = [
        (row["measure"], row["mean"], row["mean_where_any"], row["paper"], row["functions"])
        for row in summary["variation"]
    ]
    caption = (
        "Mean coefficient of variation within a function's cases; where any: over functions whose "
        "cases differ at all."
    )
    heads = ("counter", "mean", "where any", "paper", "functions")
    title = "How cases of a function differ"
    return Table(name, title, caption, heads, rows) if rows else None


def _chaining(summary: Summary, name: str) -> Table | None:
    found = summary["chaining"]
    if found is None:
        return None
    rows = [(row["k"], _large(row["bound"]), _large(row["chains"]), _large(row["exact"]))
            for row in found["chains"]]  # fmt: skip
    caption = (
        f"{found['functions']} functions of one argument between {found['types']} types, at most "
        f"{found['most']} from one type to another, {found['cases']:.1f} cases each: the paper's "
        "upper bound n^2 * T_max^k * C on tasks of k functions, the sequences whose types fit, and "
        "those times C."
    )
    heads = ("k", "bound on tasks", "sequences that fit", "tasks of these")
    return Table(name, "Chaining (section 2.2)", caption, heads, rows)


def _large(value: float) -> str:
    return f"{value:,.0f}" if value < 1e9 else f"{value:.3g}"


def _sure(found: Summary | None) -> tuple[str, str]:
    if found is None:
        return "-", ""
    return percent(found["pass@1"]), " to ".join(map(percent, found["interval"]))


MAKERS: Mapping[str, tuple[Callable[[Summary, str], Product | None], str]] = {
    "exe-scores": (_scores, "no prediction could be graded"),
    "exe-repositories": (pictures.repositories, "needs tasks of two packages"),
    "exe-packages": (pictures.packages, "needs answers on two packages"),
    "exe-statistics": (panels.statistics, "needs statistics in the tasks, as mine writes them"),
    "exe-growth": (pictures.growth, "no function's cases grew: mine --cases 300"),
    "exe-called-most": (_called_most, "needs runtime statistics, and functions answered well"),
    "exe-per-line": (panels.per_line, "needs static statistics in the tasks"),
    "exe-runtime": (panels.runtime, "needs runtime statistics in the tasks"),
    "exe-constructs": (pictures.constructs, "no program has a construct that is looked for"),
    "exe-trends": (_trends, "needs statistics in the tasks"),
    "exe-functions": (_functions, "no prediction could be graded"),
    "exe-questions": (_questions, "no task asks about a moment of a run: mine --questions 50"),
    "exe-runs": (_runs, "each model answered once: predict -n 5 -t 0.8, or give several files"),
    "exe-cost": (_cost, "the predictions name no tokens"),
    "exe-sizes": (_sizes, "needs static statistics in the tasks"),
    "exe-variation": (_variation, "needs tasks that mine wrote"),
    "exe-chaining": (_chaining, "no task has a signature with one required argument"),
}
"""By name: what makes it of a report's summary, and what it would take where that is nothing."""
