"""Pass rates against measures of the code and its runs: a panel a measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log10
from typing import TYPE_CHECKING, Any

from evalplus_lite.plots.canvas import Picture, logarithmic
from evalplus_lite.plots.style import colour, mark, short
from evalplus_lite.plots.tables import Cell, Table, percent

if TYPE_CHECKING:
    from evalplus_lite.plots.canvas import Axes, Figure

Summary = Mapping[str, Any]
MOST_NAMES = 20
COLUMNS = 4
PANEL = 1.9
"""Inches that a row of panels is high."""
WORDS = {
    "lines": "lines of code",
    "run: microseconds": "processing time (µs)",
    "run: calls": "function calls",
    "identifiers": "identifiers",
}
"""Measures of figure 5, and how they are called there."""
PER_LINE = ("calls per line", "identifiers created per line", "branches per line",
            "return statements per line")  # fmt: skip


def statistics(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 against four measures (figure 5)."""
    return _panels(summary, name, list(WORDS), "Pass@1 by measure (figure 5)")


def per_line(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 against measures for each line of code (figure 8)."""
    return _panels(summary, name, PER_LINE, "Pass@1 by measure per line (figure 8)")


def runtime(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 against all that was counted as cases ran (figure 10)."""
    found = dict.fromkeys(row["measure"] for row in summary["trends"])
    names = [each for each in found if each.startswith("run: ")]
    return _panels(summary, name, names, "Pass@1 by runtime statistic (figure 10)")


def _panels(summary: Summary, name: str, measures: Iterable[str], title: str) -> Picture | None:
    """Return a panel a measure with each model's groups, its line, and its variance as a band."""
    trends = [row for row in summary["trends"] if row["scope"] == "all" and row["groups"]]
    names = [each for each in measures if any(row["measure"] == each for row in trends)]
    if not names:
        return None
    labels = [row["model"] for row in summary["models"]]
    shown = {each: [row for row in trends if row["measure"] == each and row["model"] in labels]
             for each in names}  # fmt: skip
    caption = (
        "Mean pass@1 of cases in groups of equal width; the more cases, the more solid the mark. "
        "The band is the variance within each group, the line the least-squares fit over the "
        "logarithm (per line of code: over the measure itself). Cases whose measure is 0 are on no "
        "logarithmic scale and left out there."
    )
    heads = ("measure", "model", "from", "to", "cases", "functions", "pass@1 %", "variance")
    rows: list[tuple[Cell, ...]] = []
    data: list[tuple[Cell, ...]] = [
        ("measure", "model", "low", "high", "middle", "cases", "functions", "pass_at_1",
         "variance", "interval_low", "interval_high")
    ]  # fmt: skip
    for each in names:
        for row in shown[each]:
            for g in row["groups"]:
                rows.append((each, row["model"], g["low"], g["high"], g["points"], g["clusters"],
                             percent(g["mean"]), g["variance"]))  # fmt: skip
                data.append((each, row["model"], g["low"], g["high"], g["middle"], g["points"],
                             g["clusters"], g["mean"], g["variance"], *g["interval"]))  # fmt: skip
    table = Table(name, title, caption, heads, rows, left=2, data=data)

    def draw(figure: Figure) -> None:
        lines = -(-len(names) // COLUMNS)
        every = figure.subplots(lines, min(COLUMNS, len(names)), sharey=True, squeeze=False)
        panels = list(every.flat)
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        for axes, measure in zip(panels, names, strict=False):
            for row in shown[measure]:
                _trend(axes, row, labels.index(row["model"]))
            axes.set(ylim=(-0.03, 1.03))
            axes.set_title(short(_words(measure), 24))
        for row_of in every:
            row_of[0].set_ylabel("pass@1")
        legend(figure, panels[0], len(labels))

    height = 0.5 + PANEL * -(-len(names) // COLUMNS)
    return Picture(name, title, caption, draw, table, height=height)


def _words(measure: str) -> str:
    """Return a panel's title; the figure's says what all of its panels have in common."""
    plain = measure.removeprefix("run: ").removesuffix(" per line").replace("_", " ")
    return WORDS.get(measure, plain)


def _trend(axes: Axes, row: Summary, number: int) -> None:
    groups, fit = row["groups"], row["fit"]
    at, means = [g["middle"] for g in groups], [g["mean"] for g in groups]
    most = max(g["points"] for g in groups)
    axes.fill_between(
        at,
        [max(0.0, g["mean"] - g["variance"]) for g in groups],
        [min(1.0, g["mean"] + g["variance"]) for g in groups],
        color=colour(number), alpha=0.12, linewidth=0,
    )  # fmt: skip
    for x, y, group in zip(at, means, groups, strict=True):
        solid = 0.25 + 0.75 * log10(1 + group["points"]) / log10(1 + most)
        axes.plot([x], [y], color=colour(number), marker=mark(number), alpha=solid)
    axes.plot([], [], color=colour(number), marker=mark(number), label=short(row["model"], 28))
    is_logarithmic = row["scale"] == "logarithmic" and min(at) > 0
    if fit is not None:
        ends = [min(at), max(at)]
        scaled = [log10(each) if is_logarithmic else each for each in ends]
        heights = [fit["intercept"] + fit["slope"] * each for each in scaled]
        axes.plot(ends, heights, color=colour(number), linewidth=1)
    if is_logarithmic and max(at) > min(at):
        wide = max(at) / min(at) > 100
        logarithmic(axes, "x", parts=(1,) if wide else (1, 2, 5))


def legend(figure: Figure, axes: Axes, count: int) -> None:
    """Name the lines above all panels, where there are several and not too many."""
    if 1 < count <= MOST_NAMES:
        handles, names = axes.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=3)
