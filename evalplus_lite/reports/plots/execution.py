"""Tables and figures of exe report: models, trends, runs, costs, and the tasks themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import log10
from typing import TYPE_CHECKING, Any

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.tables import Table, laid_out, percent
from evalplus_lite.reports.plots.canvas import (
    BASE,
    PLUS,
    QUIET,
    Material,
    Missing,
    Picture,
    Product,
    colour,
    logarithmic,
    mark,
    short,
)

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Axes, Figure

Summary = Mapping[str, Any]
MOST_NAMES = 20
COLUMNS = 4
PANEL = 1.9
"""Height of a row of panels, in inches."""
WORDS = {
    "lines": "lines of code",
    "run: microseconds": "processing time (µs)",
    "run: calls": "function calls",
    "identifiers": "identifiers",
}
"""Measures of figure 5, and their names there."""
PER_LINE = ("calls per line", "identifiers created per line", "branches per line",
            "return statements per line")  # fmt: skip


def _panels(
    summary: Summary, name: str, *, title: str, measures: Sequence[str] = ()
) -> Picture | None:
    """Return a panel per measure, with each model's groups, line, and variance as a band.

    Without ``measures``, draw all runtime statistics.
    """
    if not measures:
        known = dict.fromkeys(row["measure"] for row in summary["trends"])
        measures = [each for each in known if each.startswith("run: ")]
    labels = [row["model"] for row in summary["models"]]
    trends = [row for row in summary["trends"] if row["scope"] == "all" and row["groups"]]
    shown = {
        each: [row for row in trends if row["measure"] == each and row["model"] in labels]
        for each in measures
        if any(row["measure"] == each for row in trends)
    }
    if not shown:
        return None
    caption = (
        "Mean pass@1 of cases in groups of equal width; the more cases, the more solid the mark. "
        "The band is the variance within each group, the line the least-squares fit over the "
        "logarithm (per line of code: over the measure itself). Cases whose measure is 0 are on no "
        "logarithmic scale and left out there."
    )
    keys = ("measure", "model", "low", "high", "middle", "cases", "functions", "pass_at_1",
            "variance", "interval_low", "interval_high")  # fmt: skip
    data = [
        (measure, row["model"], g["low"], g["high"], g["middle"], g["points"], g["clusters"],
         g["mean"], g["variance"], *g["interval"])
        for measure, own in shown.items() for row in own for g in row["groups"]
    ]  # fmt: skip
    heads = ("measure", "model", "from", "to", "cases", "functions", "pass@1 %", "variance")
    rows = [(*row[:4], *row[5:7], percent(row[7]), row[8]) for row in data]
    table = Table(name, title, heads, rows, caption=caption, left=2, data=[keys, *data])
    lines = -(-len(shown) // COLUMNS)

    def draw(figure: Figure) -> None:
        every = figure.subplots(lines, min(COLUMNS, len(shown)), sharey=True, squeeze=False)
        panels = list(every.flat)
        for axes in panels[len(shown) :]:
            axes.set_visible(False)
        for axes, (measure, own) in zip(panels, shown.items(), strict=False):
            for row in own:
                _trend(axes, row, labels.index(row["model"]))
            axes.set(ylim=(-0.03, 1.03))
            # Leave out words that the figure's title already has.
            plain = measure.removeprefix("run: ").removesuffix(" per line").replace("_", " ")
            axes.set_title(short(WORDS.get(measure, plain), 24))
        for row_of in every:
            row_of[0].set_ylabel("pass@1")
        legend(figure, panels[0], len(labels))

    return Picture(table, draw, 0.5 + PANEL * lines)


def _trend(axes: Axes, row: Summary, number: int) -> None:
    groups, fit, shade = row["groups"], row["fit"], colour(number)
    at = [g["middle"] for g in groups]
    most = max(g["points"] for g in groups)
    axes.fill_between(
        at,
        [max(0.0, g["mean"] - g["variance"]) for g in groups],
        [min(1.0, g["mean"] + g["variance"]) for g in groups],
        color=shade, alpha=0.12, linewidth=0,
    )  # fmt: skip
    for g in groups:
        solid = 0.25 + 0.75 * log10(1 + g["points"]) / log10(1 + most)
        axes.plot([g["middle"]], [g["mean"]], color=shade, marker=mark(number), alpha=solid)
    axes.plot([], [], color=shade, marker=mark(number), label=short(row["model"], 28))
    ends = [min(at), max(at)]
    is_logarithmic = row["scale"] == "logarithmic" and ends[0] > 0
    if fit is not None:
        scaled = map(log10, ends) if is_logarithmic else ends
        heights = [fit["intercept"] + fit["slope"] * each for each in scaled]
        axes.plot(ends, heights, color=shade, linewidth=1)
    if is_logarithmic and ends[1] > ends[0]:
        logarithmic(axes, "x", parts=(1,) if ends[1] / ends[0] > 100 else (1, 2, 5))


def legend(figure: Figure, axes: Axes, count: int) -> None:
    """Add a legend above all panels, if there are several lines but not too many."""
    if 1 < count <= MOST_NAMES:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)


TOP = 20
"""The number of packages shown with each model."""


def repositories(summary: Summary, name: str) -> Picture | None:
    """Return the cases of each package, largest first (figure 3)."""
    repositories_of = summary["repositories"]
    rows = [(n, row["package"], row["cases"], row["functions"])
            for n, row in enumerate(repositories_of["packages"], 1)]  # fmt: skip
    if len(rows) < 2:
        return None
    fit = repositories_of["falloff"]
    caption = f"Cases of {len(rows)} packages."
    if fit is not None:
        caption += (
            f" The line is {fit['intercept']:.0f} {fit['slope']:+.0f} log10(rank); it explains "
            f"{percent(fit['r2'])} % of the variance."
        )
    heads = ("rank", "package", "cases", "functions")
    table = Table(name, "Cases by package (figure 3)", heads, rows, caption=caption, left=2)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        ranks = [row[0] for row in rows]
        axes.bar(ranks, [row[2] for row in rows], color=BASE, width=0.8)
        if fit is not None:
            line = [fit["intercept"] + fit["slope"] * log10(rank) for rank in ranks]
            axes.plot(ranks, [max(0.0, each) for each in line], color=PLUS)
        axes.set(xlabel="package by rank", ylabel="cases")
        if len(rows) <= TOP:
            axes.set_xticks(ranks, [short(row[1], 18) for row in rows], rotation=60, ha="right")
        axes.grid(axis="x", visible=False)

    return Picture(table, draw, 3.2)


def packages(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 by package: each model on the largest ones, and the mean on all (figure 4)."""
    rows = summary["packages"]
    if len(rows) < 2:
        return None
    labels = [row["model"] for row in summary["models"]]
    caption = (
        f"Left: pass@1 on the {min(TOP, len(rows))} packages with most cases, bars are 95 % "
        f"intervals. Right: the mean over models of all {len(rows)} packages, sorted."
    )
    lines = [
        (row["package"], row["cases"], row["functions"], percent(row["mean"]),
         *(_rate(row["models"].get(label)) for label in labels))
        for row in rows
    ]  # fmt: skip
    keys = ("package", "model", "cases", "functions", "pass_at_1", "low", "high")
    data = [
        (row["package"], label, own["cases"], own["functions"], own["pass@1"], *own["interval"])
        for row in rows
        for label, own in row["models"].items()
        if own
    ]
    heads = ("package", "cases", "functions", "mean %", *labels)
    title = "Pass@1 by package (figure 4)"
    table = Table(name, title, heads, lines, caption=caption, data=[keys, *data])

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[2, 1])
        largest = rows[:TOP]
        step = 0.7 / max(1, len(labels))
        for number, label in enumerate(labels):
            every = enumerate(row["models"].get(label) for row in largest)
            here = [(at + (number - (len(labels) - 1) / 2) * step, own) for at, own in every if own]
            middle = [own["pass@1"] for _, own in here]
            spread = [[abs(own["pass@1"] - own["interval"][end]) for _, own in here]
                      for end in (0, 1)]  # fmt: skip
            left.errorbar([at for at, _ in here], middle, yerr=spread, color=colour(number),
                          marker=mark(number), linestyle="", elinewidth=0.7,
                          label=short(label, 28))  # fmt: skip
        left.set_xticks(range(len(largest)), [short(row["package"], 18) for row in largest],
                        rotation=60, ha="right")  # fmt: skip
        left.set(ylim=(-0.03, 1.03), ylabel="pass@1")
        means = sorted((row["mean"] for row in rows), reverse=True)
        right.bar(range(1, len(means) + 1), means, color=BASE, width=0.8)
        right.set(ylim=(-0.03, 1.03), xlabel="packages, by mean pass@1")
        for axes in (left, right):
            axes.grid(axis="x", visible=False)
        legend(figure, left, len(labels))

    return Picture(table, draw, 3.8)


def constructs(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 of programs with each construct, and without it (section 3)."""
    rows = summary["constructs"]
    if not rows:
        return None
    label = rows[0]["model"]
    caption = (
        f"{label}: pass@1 on cases of programs that have a construct (with 95 % intervals) and, as "
        "crosses, on all others. Constructs go together with longer programs: no causes. The CSV "
        "has figures of each model."
    )
    own = [row for row in rows if row["model"] == label]
    own.sort(key=lambda row: (row["with"]["pass@1"], row["construct"]))
    heads = ("construct", "cases", "functions", "with %", "without %", "points [95 %]")
    lines = [
        (row["construct"], row["with"]["cases"], row["with"]["functions"], _rate(row["with"]),
         _rate(row["without"]), _gap(row))
        for row in own
    ]  # fmt: skip
    keys = ("construct", "model", "cases", "functions", "with", "low", "high", "without",
            "difference", "difference_low", "difference_high")  # fmt: skip
    data = [
        (row["construct"], row["model"], row["with"]["cases"], row["with"]["functions"],
         row["with"]["pass@1"], *row["with"]["interval"],
         row["without"] and row["without"]["pass@1"], row["difference"],
         *(row["interval"] or (None, None)))
        for row in rows
    ]  # fmt: skip
    title = "Pass@1 by construct (section 3)"
    table = Table(name, title, heads, lines, caption=caption, data=[keys, *data])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for at, row in enumerate(own):
            axes.plot(row["with"]["interval"], [at, at], color=colour(0), linewidth=1)
            axes.plot([row["with"]["pass@1"]], [at], color=colour(0), marker=mark(0))
            if row["without"]:
                axes.plot([row["without"]["pass@1"]], [at], color=QUIET, marker="x", linestyle="")
        axes.set_yticks(range(len(own)), [row["construct"] for row in own])
        axes.set(xlim=(-0.02, 1.02), xlabel="pass@1")

    return Picture(table, draw, 0.8 + 0.2 * len(own))


def _gap(row: Summary) -> str:
    if row["difference"] is None:
        return "-"
    low, high = (f"{100 * end:+.1f}" for end in row["interval"])
    return f"{100 * row['difference']:+.1f} [{low}, {high}]"


def _rate(scores: Summary | None) -> str:
    return "-" if scores is None else percent(scores["pass@1"])


SHOWN = 60
"""Maximum number of rows shown in tables of trends and constructs; CSV has all."""


def execution(material: Material) -> Iterator[Product]:
    """Yield each table and figure of the paper on execution prediction, or why it is missing."""
    for output, ending in material.of("execution"):
        try:
            yield from [*_made(output.summary, ending)]
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
            raise InputError(
                f"is not what exe report writes: {type(error).__name__}: {error}",
                path=output.path,
                remedy="make it again: evalplus-lite exe report",
            ) from None


def _made(summary: Summary, ending: str) -> Iterator[Product]:
    for name, (make, reason) in MAKERS.items():
        product = make(summary, f"{name}{ending}")
        if product is None or (isinstance(product, Table) and not product.rows):
            product = Missing(f"{name}{ending}", reason)
        yield product
    for each in summary.get("missing", ()):
        yield Missing(f"{each['name']}{ending}", each["reason"])


def _scores(summary: Summary, name: str) -> Table:
    caption = (
        f"Pass@1 on {summary['answered']} of {summary['cases']} cases, and on those that raise; "
        "95 % intervals count the cases of a function as alike as they are."
    )
    if not summary["same_cases"]:
        caption += " The models did not answer the same cases."
    rows = [(row["model"], *_sure(row["all"]), *_sure(row["errors"]), row["all"]["cases"],
             row["errors"] and row["errors"]["cases"]) for row in summary["models"]]  # fmt: skip
    keys = ("model", "cases_of", "cases", "functions", "pass_at_1", "low", "high")
    data = [
        (row["model"], kind, some["cases"], some["functions"], some["pass@1"], *some["interval"])
        for row in summary["models"]
        for kind in ("all", "errors")
        if (some := row[kind]) is not None
    ]
    heads = ("model", "all, %", "all, 95 %", "errors, %", "errors, 95 %", "cases", "raising")
    return Table(name, "Pass@1 (table 1)", heads, rows, caption=caption, data=[keys, *data])


def _sure(found: Summary | None) -> tuple[str, str]:
    if found is None:
        return "-", ""
    return percent(found["pass@1"]), " to ".join(map(percent, found["interval"]))


def _functions(summary: Summary, name: str) -> Table:
    rows = [
        (row["model"], own["count"], f"{own['mean']:.3f}", f"{own['sigma']:.3f}",
         *own["histogram"])
        for row in summary["models"]
        if (own := row["functions"])
    ]  # fmt: skip
    tenths = (f"from {n / 10:.1f}" for n in range(10))
    caption = (
        "Mean and standard deviation of the functions' pass rates, and how many functions have a "
        "rate in each tenth. The paper has 0.742 and 0.293 for GPT-4o."
    )
    heads = ("model", "functions", "mean", "sigma", *tenths)
    return Table(name, "Pass rates of functions", heads, rows, caption=caption)


def _runs(summary: Summary, name: str) -> Table:
    several = [(row["model"], runs, runs["pass@1"]) for row in summary["models"]
               if (runs := row["runs"]) is not None]  # fmt: skip
    rows = [
        (model, len(some), *map(percent, (min(some), max(some), runs["deviation"])),
         runs["within"], runs["between"])
        for model, runs, some in several
    ]  # fmt: skip
    data = [(model, number, each) for model, _, some in several for number, each in enumerate(some)]
    caption = (
        "Pass@1 of each run of a model on the same cases. Within: the variance of one case's "
        "answers; between: that of the cases' pass rates."
    )
    heads = ("model", "runs", "lowest %", "highest %", "deviation %", "within", "between")
    keys = ("model", "run", "pass_at_1")
    return Table(name, "Variance between runs", heads, rows, caption=caption, data=[keys, *data])


def _trends(summary: Summary, name: str) -> Table:
    trends = summary["trends"]
    label = trends[0]["model"] if trends else ""
    first_keys = ("measure", "scope", "model", "cases", "functions", "zero", "scale")
    keys = (*first_keys, "spearman", "spearman_low", "spearman_high",
            "slope", "slope_low", "slope_high", "intercept")  # fmt: skip
    data = [
        (
            *(row[key] for key in first_keys),
            *((ranks["value"], *ranks["interval"]) if (ranks := row["spearman"]) else (None,) * 3),
            *((fit["slope"], *fit["interval"], fit["intercept"])
              if (fit := row["fit"]) else (None,) * 4),
        )
        for row in trends
    ]  # fmt: skip
    rows = [
        (row["measure"], row["scope"], row["cases"], _coefficient(row["spearman"], "value", 1, 2),
         _coefficient(row["fit"], "slope", 100, 1),
         "x10" if row["scale"] == "logarithmic" else "x+1")
        for row in trends
        if row["model"] == label
    ]  # fmt: skip
    caption = (
        f"{label}: Spearman's coefficient of pass@1 with each measure, and the "
        "change of pass@1 in points where the measure is ten times (x10) or one (x+1) larger, by "
        "least squares; 95 % intervals by function. Per model, all rows: the CSV."
    )
    heads = ("measure", "cases of", "cases", "Spearman [95 %]", "points [95 %]", "per")
    title = "Pass@1 by measure (figures 5, 8, 10)"
    return Table(name, title, heads, rows[:SHOWN], left=2, caption=caption, data=[keys, *data])


def _coefficient(estimate: Summary | None, key: str, scale: float, digits: int) -> str:
    if estimate is None:
        return "-"
    value, low, high = (scale * each for each in (estimate[key], *estimate["interval"]))
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _called_most(summary: Summary, name: str) -> Table:
    return laid_out(
        name,
        "Many calls, well answered (figure 7)",
        summary["called_most"],
        *("function", "calls", "cases"),
        ("pass@1 %", lambda row: percent(row["pass@1"])),
        caption="Functions with most calls in a run (median) of those that are answered well.",
    )


def _cost(summary: Summary, name: str) -> Table:
    rows = [
        (f"predictions of {row['model']}", row["predictions"], row["tokens"]["prompt"],
         row["tokens"]["completion"], f"{row['tokens']['a_prediction']:.0f}", row["cost"])
        for row in summary["models"]
        if row["tokens"]["a_prediction"]
    ]  # fmt: skip
    spent = summary["generation"]
    if spent is not None:
        tokens = spent["prompt"] + spent["completion"]
        rows.append((f"inputs by {', '.join(spent['models']) or 'a model'}", spent["functions"],
                     spent["prompt"], spent["completion"], f"{tokens / spent['functions']:.0f}",
                     spent["cost"]))  # fmt: skip
    caption = (
        "Tokens in all and a prediction, or a function whose inputs a model wrote, and what they "
        "cost by the prices given. The paper has 1,112 tokens a batch of inputs and 1,123 a case."
    )
    heads = ("what", "asked", "tokens in", "tokens out", "tokens each", "cost")
    return Table(name, "Tokens and cost", heads, rows, caption=caption)


def _sizes(summary: Summary, name: str) -> Table:
    return laid_out(
        name,
        "Sizes of tasks",
        summary["sizes"],
        *("measure", "median", ("median in the paper", "paper_median")),
        *(("most", "max"), ("most in the paper", "paper_max")),
        caption="Medians and maxima over functions, beside the paper's (section 2.2).",
    )


def _variation(summary: Summary, name: str) -> Table:
    return laid_out(
        name,
        "How cases of a function differ",
        summary["variation"],
        *(("counter", "measure"), "mean", ("where any", "mean_where_any"), "paper", "functions"),
        caption="Mean coefficient of variation within a function's cases; where any: over functions"
        " whose cases differ at all.",
    )


MAKERS: Mapping[str, tuple[Callable[[Summary, str], Product | None], str]] = {
    "exe-scores": (_scores, "no prediction could be graded"),
    "exe-repositories": (repositories, "needs tasks of two packages"),
    "exe-packages": (packages, "needs answers on two packages"),
    "exe-statistics": (
        partial(_panels, measures=tuple(WORDS), title="Pass@1 by measure (figure 5)"),
        "needs statistics in the tasks, as mine writes them",
    ),
    "exe-called-most": (_called_most, "needs runtime statistics, and functions answered well"),
    "exe-per-line": (
        partial(_panels, measures=PER_LINE, title="Pass@1 by measure per line (figure 8)"),
        "needs static statistics in the tasks",
    ),
    "exe-runtime": (
        partial(_panels, title="Pass@1 by runtime statistic (figure 10)"),
        "needs runtime statistics in the tasks",
    ),
    "exe-constructs": (constructs, "no program has a construct that is looked for"),
    "exe-trends": (_trends, "needs statistics in the tasks"),
    "exe-functions": (_functions, "no prediction could be graded"),
    "exe-runs": (_runs, "each model answered once: predict -n 5 -t 0.8, or give several files"),
    "exe-cost": (_cost, "the predictions name no tokens"),
    "exe-sizes": (_sizes, "needs static statistics in the tasks"),
    "exe-variation": (_variation, "needs tasks that mine wrote"),
}
"""For each name, the function that makes it from a summary, and what it needs if that fails."""
