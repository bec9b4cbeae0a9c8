"""How many tests suites have, and what small ones give up: the EvalPlus paper's Tables 2 and 4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from evalplus_lite.jobs.tables import Cell, Table, percent
from evalplus_lite.reports.plots.canvas import (
    QUIET,
    STAR,
    Material,
    Missing,
    Picture,
    Product,
    colour,
    mark,
)

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Figure

CRITERIA = {
    "coverage, 1-fold": "coverage",
    "mutants, 1-fold": "mutants",
    "samples, 1-fold": "samples",
    "classic, 1-fold": "all three",
    "full, 1-fold": "full",
    "default": "default",
}
"""Policies of cross-validation that the table shows, and their headings: the paper's three criteria
with their union (its Full), then what this project adds. CSV has all policies."""
SIZED = re.compile(r"(.+), size ([0-9.]+)")
"""The name of a policy that was given a size: the mode, plus cases a task."""
BUILT_IN = re.compile(r".+, \d+-fold|default.*")


def test_counts(material: Material) -> Iterator[Product]:
    """Yield the table of all suites that were given."""
    data = [
        (suite.name, suite.content, tests, len(numbers), sum(numbers) / len(numbers),
         median(numbers), min(numbers), max(numbers))
        for suite in material.suites
        for tests, numbers in (("base", suite.base), ("base and plus", suite.all))
        if tests == "base" or suite.all != suite.base
    ]  # fmt: skip
    if data:
        rows = [
            (name, tests, f"{mean:.1f}", f"{middle:.1f}", least, most, tasks)
            for name, _, tests, tasks, mean, middle, least, most in data
        ]
        caption = "Tests by task of each suite, those of its tasks without plus tests included."
        heads = ("suite", "tests", "average", "median", "min", "max", "tasks")
        keys = ("suite", "content", "tests", "tasks", "mean", "median", "min", "max")
        name = "test-counts"
        yield Table(name, "Tests a task", caption, heads, rows, left=2, data=[keys, *data])


def reduction(material: Material) -> Iterator[Product]:
    """Yield a table for each cross-validation."""
    for output, ending in material.of("crossval"):
        yield _left_out(output.summary, f"reduction{ending}")


def _left_out(summary: Mapping[str, Any], name: str) -> Table:
    """Return pass@1 and size a model and criterion, the model's own samples left out."""
    lines = {(row["model"], row["policy"]): row for row in (*summary["models"], *summary["pooled"])}
    given = list(dict.fromkeys(policy for _, policy in lines))
    shown = [each for each in CRITERIA if each in given]
    shown += [each for each in given if not BUILT_IN.fullmatch(each) and not SIZED.fullmatch(each)]
    base = summary.get("cases_a_task", {}).get("base")
    rows: list[list[Cell]] = []
    for model in dict.fromkeys(model for model, _ in lines):
        own = [lines[model, policy] for policy in shown if (model, policy) in lines]
        if own:
            cells = [
                cell
                for row in own
                for cell in (percent(row["pass@1"]["reduced"]), f"{row['size'] + (base or 0):.1f}")
            ]
            shares = own[0]["pass@1"]
            rows.append([model, *cells, percent(shares["base"]), percent(shares["plus"])])
    tests = "tests" if base is not None else "plus tests"
    caption = (
        f"{summary['dataset']}: pass@1 and {tests} a task of smaller suites, each chosen without "
        "the samples of the model that it judges; last, pass@1 on base tests and on all."
    )
    columns = [f"{CRITERIA.get(each, each)}, {what}" for each in shown for what in ("%", tests)]
    heads = ["model", *columns, "base, %", "all, %"]
    keys = ("model policy plus_tests base_tests pass_at_1 pass_at_1_random pass_at_1_base"
            " pass_at_1_all failures failures_kept low high").split()  # fmt: skip
    data = [
        (model, policy, row["size"], base,
         *(row["pass@1"][key] for key in ("reduced", "random", "base", "plus")),
         row["failures"], row["kept"], *row["interval"])
        for (model, policy), row in lines.items()
    ]  # fmt: skip
    return Table(name, "Reduced suites", caption, heads, rows, data=[keys, *data])


def strength(material: Material) -> Iterator[Product]:
    """Yield a picture for each cross-validation."""
    for output, ending in material.of("crossval"):
        # By mode, the policies that were given a size, smallest first.
        lines: dict[str, list[Mapping[str, Any]]] = {}
        for row in output.summary["pooled"]:
            if match := SIZED.fullmatch(row["policy"]):
                lines.setdefault(match[1], []).append(row)
        for some in lines.values():
            some.sort(key=itemgetter("size"))
        if lines:
            yield _chosen(output.summary, lines, f"strength{ending}")
        else:
            yield Missing(f"strength{ending}", f"{output.path} tried no policy of a given size")


def _chosen(
    summary: Mapping[str, Any], lines: Mapping[str, Sequence[Mapping[str, Any]]], name: str
) -> Picture:
    pooled = list(summary["pooled"])
    failures = max(row["failures"] for row in pooled)
    caption = (
        f"{summary['dataset']}: share of {failures} programs that pass base tests and fail plus "
        "tests which a smaller suite rejects, too, chosen without the samples of their model; "
        "against plus tests a task. The band is the 95 % interval of the mode full, crosses are "
        "covers, dashes random suites of the sizes of the last mode."
    )
    columns = ("policy", "plus tests", "found %", "from", "to", "at random %")
    keys = ("policy", "plus_tests", "found", "low", "high", "found_at_random")
    data = [(row["policy"], row["size"], row["share"], *row["interval"], row["share_random"])
            for row in pooled]  # fmt: skip
    rows = [(policy, f"{size:.1f}", *map(percent, four)) for policy, size, *four in data]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (mode, points) in enumerate(lines.items()):
            sizes = [row["size"] for row in points]
            axes.plot(sizes, [row["share"] for row in points], color=colour(number),
                      marker=mark(number), label=mode)  # fmt: skip
            if mode == "full":
                low, high = zip(*(row["interval"] for row in points), strict=True)
                axes.fill_between(sizes, low, high, color=colour(number), alpha=0.12, linewidth=0)
        *_, last = lines.values()
        axes.plot([row["size"] for row in last], [row["share_random"] for row in last],
                  color=QUIET, linestyle=(0, (4, 2)), label="at random")  # fmt: skip
        for row in pooled:
            if row["policy"] not in CRITERIA:
                continue
            is_default = row["policy"] == "default"
            mode = "full" if is_default else row["policy"].partition(",")[0]
            shade = colour(list(lines).index(mode)) if mode in lines else QUIET
            axes.plot([row["size"]], [row["share"]], color=shade, linestyle="", zorder=5,
                      marker=STAR if is_default else "x", markersize=11 if is_default else 7,
                      label="default" if is_default else None)  # fmt: skip
        axes.set(ylim=(-0.02, 1.03), xlabel="plus tests a task", ylabel="unseen failures found")
        axes.set_xlim(left=0)
        figure.legend(loc="outside right upper")

    table = Table(name, "Strength against size", caption, columns, rows, data=[keys, *data])
    return Picture(table, draw, 3.4)
