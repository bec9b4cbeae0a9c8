"""Figures of the EvalPlus paper: scores, pass@k by temperature, pass rates, sizes of suites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from evalplus_lite.jobs.outputs import ModelRun, TaskCount, Tests
from evalplus_lite.jobs.tables import Cell, Table, percent
from evalplus_lite.reports.plots.canvas import (
    BASE,
    PLUS,
    Board,
    Material,
    Picture,
    Product,
    logarithmic,
    part,
    short,
    whole,
)
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.pass_at_k import DEFAULT_K, estimate

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Figure

MOST_ROWS = 40
KINDS: dict[Tests, str] = {"base": "base tests", "plus": "base and plus"}


class Point(NamedTuple):
    """A model run's pass@k on one kind of tests, with its 95 % interval."""

    tests: Tests
    k: int
    value: float
    low: float
    high: float


Found = Sequence[tuple[ModelRun, Sequence[Point]]]


def points(entrant: ModelRun, tests: Tests, ks: Sequence[int]) -> list[Point]:
    """Return pass@k for those ``ks`` for which every task has enough samples."""
    counts = entrant.right(tests)
    shares, bounds = estimate(counts, ks), intervals(counts, ks)
    return [
        Point(tests, k, shares[key], *bounds[key]) for k in ks if (key := f"pass@{k}") in shares
    ]


def fewest(entrant: ModelRun) -> int:
    """Return the minimum number of samples per task."""
    return min(count.total for count in entrant.counts.values())


def _table(name: str, title: str, caption: str, found: Found) -> Table:
    rows = [(each, at) for each, some in found for at in some]
    keys = ("model", "temperature", "tests", "tasks", "k", "pass_at_k", "low", "high")
    data = [
        (each.label, each.temperature, at.tests, len(each.counts), *at[1:]) for each, at in rows
    ]
    return Table(
        name,
        title,
        ("model", "tests", "k", "pass@k %", "from", "to"),
        [(each.label, at.tests, at.k, *map(percent, at[2:])) for each, at in rows],
        caption=caption,
        left=2,
        data=[keys, *data],
    )


def scores(board: Board) -> Picture:
    """Return the picture of pass@1 of all models."""
    entrants = [
        (each, [at for tests in board.tests for at in points(each, tests, (1,))])
        for each in board.entrants
    ]
    entrants.sort(key=lambda pair: (bool(pair[0].missing), -pair[1][-1].value, pair[0].label))
    shown = entrants[:MOST_ROWS]
    caption = f"{board.dataset}: pass@1 with its 95 % interval, the best model first."
    if any(each.missing for each in board.entrants):
        caption += " Runs without samples for some tasks come last."
    if len(shown) < len(entrants):
        caption += f" The first {len(shown)} of {len(entrants)}; the table has all."

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for tests, shift in zip(board.tests, (-0.14, 0.14), strict=False):
            some = [point for _, own in shown for point in own if point.tests == tests]
            ends = (
                [max(0.0, p.value - p.low) for p in some],
                [max(0.0, p.high - p.value) for p in some],
            )
            shade, form = (BASE, "s") if tests == "base" else (PLUS, "o")
            axes.errorbar([p.value for p in some], [place + shift for place in range(len(some))],
                          xerr=ends, color=shade, fmt=form, capsize=2,
                          label=KINDS[tests])  # fmt: skip
        axes.set(xlim=(0, 1), xlabel="pass@1", ylim=(len(shown) - 0.5, -0.5))
        axes.set_yticks(range(len(shown)), [short(each.label) for each, _ in shown])
        axes.grid(axis="y", visible=False)
        figure.legend(loc="outside upper right", ncols=2)

    table = _table(f"scores{board.ending}", "pass@1 by model", caption, entrants)
    return Picture(table, draw, 1.0 + 0.27 * len(shown))


# pass@k at the best temperature: the EvalPlus paper's Table 3.


def is_greedy(entrant: ModelRun) -> bool:
    """Whether decoding was greedy: temperature 0, or one sample per task at an unknown one."""
    if entrant.temperature is None:
        return max(count.total for count in entrant.counts.values()) == 1
    return entrant.temperature == 0


Drawn = Sequence[tuple[ModelRun, Point]]
"""A model's pass@k for one k, at each of its temperatures."""


def _drawn(own: Iterable[ModelRun], tests: Tests, k: int) -> Drawn:
    return [(each, point) for each in own for point in points(each, tests, (k,))]


def _best(drawn: Drawn) -> Drawn:
    """Return the highest, if any; among equals, that of the lowest temperature."""
    return sorted(drawn, key=lambda pair: (-pair[1].value, pair[0].temperature or 0.0))[:1]


def models(board: Board) -> Table:
    """Return the table of all models."""
    ks = [k for k in DEFAULT_K if any(fewest(each) >= k for each in board.entrants)]
    rows: list[list[Cell]] = []
    data: list[tuple[Cell, ...]] = []
    by_model: dict[str, list[ModelRun]] = {}
    for each in board.entrants:
        name = f"{each.model or each.evaluation.label}{part(each)}"
        by_model.setdefault(name, []).append(each)
    for model, own in by_model.items():
        greedy = [each for each in own if is_greedy(each)]
        sampled = [each for each in own if not is_greedy(each)]
        for tests in board.tests:
            tops = [_best(_drawn(sampled, tests, k)) for k in ks]
            shown = [percent(some[0][1].value if some else None)
                     for some in (_best(_drawn(greedy, tests, 1)), *tops)]  # fmt: skip
            rows.append([model, tests, *shown, *map(_heat, tops)])
            data += [
                (model, each.temperature, is_greedy(each), tests, len(each.counts), *at[1:])
                for k, top in zip(ks, tops, strict=True)
                for each, at in (*_drawn(greedy, tests, k), *top)
            ]
    caption = (
        f"{board.dataset}: k=1* is greedy decoding (temperature 0, or one sample of each task "
        "at no known temperature), the other columns are unbiased pass@k at the best temperature "
        "for that k, T its value, ? if samples do not name it."
    )
    keys = ("model", "temperature", "greedy", "tests", "tasks", "k", "pass_at_k", "low", "high")
    heads = ("model", "tests", "k=1*", *(f"k={k}" for k in ks), *(f"T{k}*" for k in ks))
    name = f"models{board.ending}"
    return Table(name, "pass@k by model", heads, rows, caption=caption, left=2, data=[keys, *data])


def _heat(top: Drawn) -> str:
    heats = [each.temperature for each, _ in top]
    return "-" if not heats else "?" if heats[0] is None else f"{heats[0]:g}"


# Pass rates by task, on base tests and on all: the EvalPlus paper's Figure 3.

LOGARITHMIC = 0.1
"""The scale is logarithmic, as in the paper, if a solved task has a pass rate below this."""


def pass_rates(board: Board) -> Picture:
    """Return the picture of pass rates by task."""
    has_plus = "plus" in board.tests
    rates = sorted(_rates(board).items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))
    values = [rate for _, rate in rates]
    solved = [rate for rate in values if rate[0]]
    gap = sum(base - plus for base, plus in values) / len(values)
    models = f"{len(board.entrants)} models, each counting the same"
    caption = (
        f"{board.dataset}: each of {len(values)} tasks, sorted by the share of samples that pass "
        f"its base tests; the mean over {models if len(board.entrants) > 1 else 'one model'}."
    )
    if len(solved) < len(values):
        caption += f" No sample passes the base tests of {len(values) - len(solved)} tasks."
    if has_plus:
        caption += (
            f" All tests together accept {percent(gap)} points less on average, and no sample of "
            f"{sum(not plus for base, plus in solved)} tasks that base tests hold to be solved."
        )
    ranked: list[tuple[Cell, ...]] = [
        (id, place, *rate[: len(board.tests)]) for place, (id, rate) in enumerate(rates, 1)
    ]
    name, heads = f"pass-rates{board.ending}", ("task_id", "place", *board.tests)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        edges = [place + 0.5 for place in range(len(values) + 1)]
        least = min((rate for pair in solved for rate in pair if rate), default=1.0)
        floor = 0.0
        if least < LOGARITHMIC:
            logarithmic(axes, "y")
            floor = least / 2
        for at, (shade, label) in enumerate(((BASE, "base tests"), (PLUS, "base and plus"))):
            if at == 0 or has_plus:
                tops = [max(rate[at], floor) for rate in values]
                axes.stairs(tops, edges, baseline=floor, fill=True, color=shade, label=label)
        axes.set(
            xlim=(edges[0], edges[-1]),
            ylim=(floor, 1.0),
            xlabel=f"tasks of {short(board.dataset)}, by base pass rate",
            ylabel="share of samples that pass" + (" (log)" if floor else ""),
        )
        whole(axes)
        axes.grid(axis="x", visible=False)
        figure.legend(loc="outside upper right", ncols=2)

    return Picture(Table(name, "Pass rate by task", heads, ranked, caption=caption), draw)


def _rates(board: Board) -> dict[str, tuple[float, float]]:
    """Return each task's pass rates on base and on all tests, as means over model runs."""
    counts: dict[str, list[TaskCount]] = {}
    for entrant in board.entrants:
        for id, count in entrant.counts.items():
            counts.setdefault(id, []).append(count)
    return {
        id: (
            sum(each.base_right / each.total for each in some) / len(some),
            sum(each.plus_right / each.total for each in some) / len(some),
        )
        for id, some in counts.items()
    }


# Sizes of suites, and the loss of small ones: the EvalPlus paper's Tables 2 and 4.

CRITERIA = {
    "coverage, 1-fold": "coverage",
    "mutants, 1-fold": "mutants",
    "samples, 1-fold": "samples",
    "classic, 1-fold": "all three",
    "full, 1-fold": "full",
    "default": "default",
}
"""Policies of cross-validation shown in the table, with headings: the paper's three criteria and
their union (Full), then those that this project adds. CSV has all policies."""
SIZED = re.compile(r"(.+), size ([0-9.]+)")
"""The name of a policy with a size: mode and plus cases per task."""
BUILT_IN = re.compile(r".+, \d+-fold|default.*")


def test_counts(material: Material) -> Iterator[Product]:
    """Yield the table of all suites."""
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
    """Return pass@1 and size by model and criterion, without the model's own samples."""
    lines = {(row["model"], row["policy"]): row for row in (*summary["models"], *summary["pooled"])}
    policies = list(dict.fromkeys(policy for _, policy in lines))
    chosen = [each for each in CRITERIA if each in policies]
    chosen += [
        each for each in policies if not BUILT_IN.fullmatch(each) and not SIZED.fullmatch(each)
    ]
    base = summary.get("cases_a_task", {}).get("base")
    rows: list[list[Cell]] = []
    for model in dict.fromkeys(model for model, _ in lines):
        own = [lines[model, policy] for policy in chosen if (model, policy) in lines]
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
    columns = [f"{CRITERIA.get(each, each)}, {what}" for each in chosen for what in ("%", tests)]
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
