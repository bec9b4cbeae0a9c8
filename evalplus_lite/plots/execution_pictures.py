"""What exe-report found, as pictures: packages, constructs, and the growth of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, Any

from evalplus_lite.plots.canvas import Picture
from evalplus_lite.plots.execution_panels import legend
from evalplus_lite.plots.style import BASE, PLUS, QUIET, colour, mark, short
from evalplus_lite.plots.tables import Cell, Table, percent

if TYPE_CHECKING:
    from evalplus_lite.plots.canvas import Figure

Summary = Mapping[str, Any]
TOP = 20
"""Packages whose models are told apart."""


def repositories(summary: Summary, name: str) -> Picture | None:
    """Return the cases of each package, the largest first (figure 3)."""
    found = summary["repositories"]
    rows = [(n, row["package"], row["cases"], row["functions"])
            for n, row in enumerate(found["packages"], 1)]  # fmt: skip
    if len(rows) < 2:
        return None
    fit = found["falloff"]
    caption = f"Cases of {len(rows)} packages."
    if fit is not None:
        caption += (
            f" The line is {fit['intercept']:.0f} {fit['slope']:+.0f} log10(rank); it explains "
            f"{percent(fit['r2'])} % of the variance."
        )
    heads = ("rank", "package", "cases", "functions")
    table = Table(name, "Cases by package (figure 3)", caption, heads, rows, left=2)

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

    return Picture(name, table.title, caption, draw, table, height=3.2)


def packages(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 by package: models on the largest, and the mean on all (figure 4)."""
    rows = summary["packages"]
    if len(rows) < 2:
        return None
    labels = [row["model"] for row in summary["models"]]
    caption = (
        f"Left: pass@1 on the {min(TOP, len(rows))} packages with most cases, bars are 95 % "
        f"intervals. Right: the mean over models of all {len(rows)} packages, sorted."
    )
    shown: list[list[Cell]] = [
        [row["package"], row["cases"], row["functions"], percent(row["mean"]),
         *(_rate(row["models"].get(label)) for label in labels)]
        for row in rows
    ]  # fmt: skip
    data: list[Sequence[Cell]] = [
        ("package", "model", "cases", "functions", "pass_at_1", "low", "high")
    ]
    data += [
        (row["package"], label, own["cases"], own["functions"], own["pass@1"], *own["interval"])
        for row in rows
        for label, own in row["models"].items()
        if own
    ]
    heads = ("package", "cases", "functions", "mean %", *labels)
    table = Table(name, "Pass@1 by package (figure 4)", caption, heads, shown, data=data)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[2, 1])
        largest = rows[:TOP]
        step = 0.7 / max(1, len(labels))
        for number, label in enumerate(labels):
            all_here = enumerate(row["models"].get(label) for row in largest)
            here = [(at, own) for at, own in all_here if own]
            at = [place + (number - (len(labels) - 1) / 2) * step for place, _ in here]
            middle = [own["pass@1"] for _, own in here]
            low, high = ([own["interval"][end] for _, own in here] for end in (0, 1))
            spread = [[m - e for m, e in zip(middle, low, strict=True)],
                      [e - m for m, e in zip(middle, high, strict=True)]]  # fmt: skip
            left.errorbar(at, middle, yerr=spread, color=colour(number), marker=mark(number),
                          linestyle="", elinewidth=0.7, label=short(label, 28))  # fmt: skip
        left.set_xticks(range(len(largest)), [short(row["package"], 18) for row in largest],
                        rotation=60, ha="right")  # fmt: skip
        left.set(ylim=(-0.03, 1.03), ylabel="pass@1")
        means = sorted((row["mean"] for row in rows), reverse=True)
        right.bar(range(1, len(means) + 1), means, color=BASE, width=0.8)
        right.set(ylim=(-0.03, 1.03), xlabel="packages, by mean pass@1")
        for axes in (left, right):
            axes.grid(axis="x", visible=False)
        legend(figure, left, len(labels))

    return Picture(name, table.title, caption, draw, table, height=3.8)


def growth(summary: Summary, name: str) -> Picture | None:
    """Return how functions' cases grow with batches, and with tokens (figure 6)."""
    found: dict[str, list[Summary]] = {}
    for row in summary["growth"]:
        found.setdefault(row["task_id"], []).append(row)
    if not found:
        return None
    has_tokens = any(row["tokens"] for row in summary["growth"])
    caption = f"Valid cases of {len(found)} functions by batch" + (
        ", and by the tokens they took." if has_tokens else "; no model was asked, so no tokens."
    )
    heads = ("task_id", "batch", "kept", "cases", "tokens")
    rows = [tuple(row[key] for key in heads) for row in summary["growth"]]
    table = Table(name, "Growth of cases (figure 6)", caption, heads, rows)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 2 if has_tokens else 1, sharey=True, squeeze=False)[0]
        for axes, key in zip(panels, ("batch", "tokens"), strict=False):
            for number, (id, some) in enumerate(found.items()):
                axes.plot([row[key] for row in some], [row["cases"] for row in some],
                          color=colour(number), marker=mark(number), markersize=2.5,
                          label=short(id.rpartition(".")[2], 28))  # fmt: skip
            axes.set(xlabel=f"{key}{'es' if key == 'batch' else ''} so far")
            axes.set_ylim(bottom=0)
        panels[0].set_ylabel("valid cases")
        legend(figure, panels[0], len(found))

    return Picture(name, table.title, caption, draw, table)


def constructs(summary: Summary, name: str) -> Picture | None:
    """Return pass@1 of programs with each construct, beside those without (section 3)."""
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
    shown: list[tuple[Cell, ...]] = [
        (row["construct"], row["with"]["cases"], row["with"]["functions"], _rate(row["with"]),
         _rate(row["without"]), _gap(row))
        for row in own
    ]  # fmt: skip
    data: list[tuple[Cell, ...]] = [
        ("construct", "model", "cases", "functions", "with", "low", "high", "without",
         "difference", "difference_low", "difference_high")
    ]  # fmt: skip
    data += [
        (row["construct"], row["model"], row["with"]["cases"], row["with"]["functions"],
         row["with"]["pass@1"], *row["with"]["interval"],
         row["without"] and row["without"]["pass@1"], row["difference"],
         *(row["interval"] or (None, None)))
        for row in rows
    ]  # fmt: skip
    table = Table(name, "Pass@1 by construct (section 3)", caption, heads, shown, data=data)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for at, row in enumerate(own):
            axes.plot(row["with"]["interval"], [at, at], color=colour(0), linewidth=1)
            axes.plot([row["with"]["pass@1"]], [at], color=colour(0), marker=mark(0))
            if row["without"]:
                axes.plot([row["without"]["pass@1"]], [at], color=QUIET, marker="x", linestyle="")
        axes.set_yticks(range(len(own)), [row["construct"] for row in own])
        axes.set(xlim=(-0.02, 1.02), xlabel="pass@1")

    return Picture(name, table.title, caption, draw, table, height=0.8 + 0.2 * len(own))


def _gap(row: Summary) -> str:
    if row["difference"] is None:
        return "-"
    low, high = (f"{100 * end:+.1f}" for end in row["interval"])
    return f"{100 * row['difference']:+.1f} [{low}, {high}]"


def _rate(found: Summary | None) -> str:
    return "-" if found is None else percent(found["pass@1"])
