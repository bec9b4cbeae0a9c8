"""How many tests suites have, and what small ones give up: the EvalPlus paper's Tables 2 and 4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from evalplus_lite.jobs.tables import Cell, Table, percent
from evalplus_lite.reports.plots.canvas import Material, Product

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
        yield Table(name, "Tests a task", heads, rows, caption=caption, left=2, data=[keys, *data])


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
    return Table(name, "Reduced suites", heads, rows, caption=caption, data=[keys, *data])
