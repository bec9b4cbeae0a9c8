"""Strength against size: what chosen suites find of unseen failures, what cases at random find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalplus_lite.jobs.outputs import Evaluation
from evalplus_lite.jobs.tables import Cell, Table, percent
from evalplus_lite.reports.plots.canvas import Picture, logarithmic
from evalplus_lite.reports.plots.material import Material, Missing, Product
from evalplus_lite.reports.plots.style import QUIET, STAR, colour, mark, short
from evalplus_lite.reports.plots.suites import CRITERIA, sizes_of
from evalplus_lite.statistics.detection import MOST_CASES, ProgramOutcome, rejections

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Figure

CHOSEN, DRAWN = "strength", "coverage"
SHOWN = (1, 2, 5, 10, 20, 50, 100)
"""Of a curve's points those that stand in the table."""


def strength(material: Material) -> Iterator[Product]:
    """Yield a picture for each cross-validation."""
    found = False
    for output, ending in material.of("crossval"):
        found = True
        lines = sizes_of(output.summary["pooled"])
        if lines:
            yield _chosen(output.summary, lines, f"{CHOSEN}{ending}")
        else:
            yield Missing(f"{CHOSEN}{ending}", f"{output.path} tried no policy of a given size")
    if not found:
        yield Missing(CHOSEN, "needs a folder of crossval")


def coverage(material: Material) -> Iterator[Product]:
    """Yield one picture: curves of suites in quality, and of evaluations with details."""
    curves: dict[str, tuple[Sequence[float], int]] = {}
    for output, _ in material.of("quality"):
        for suite in output.summary["suites"]:
            wrong = suite["all"]["tnr"]["total"]
            if wrong:
                _named(curves, suite["name"], (suite["all"]["coverage"]["curve"], wrong))
    for board in material.boards:
        for evaluation in board.evaluations:
            curve, wrong = _of_details(evaluation)
            if wrong:
                _named(curves, evaluation.dataset, (curve, wrong))
    if curves:
        yield _drawn(curves)
    else:
        yield Missing(DRAWN, "needs a folder of quality, or results of evaluate --details")


def _named(curves: dict[str, Any], name: str, curve: tuple[Sequence[float], int]) -> None:
    number = 2
    shown = name
    while shown in curves:
        shown, number = f"{name} ({number})", number + 1
    curves[shown] = curve


def _of_details(evaluation: Evaluation) -> tuple[list[float], int]:
    """Return how surely N cases reject wrong programs, a mean over tasks, and their number."""
    sums: dict[str, list[float]] = {}
    programs: dict[str, int] = {}
    for row in evaluation.rows():
        verdicts = row.get("details")
        if verdicts is None:
            break  # there are none at all
        if (row["plus"] or row["base"]) == "pass":
            continue
        known = [each for each in verdicts if each is not None]
        rejecting = sum(each != "pass" for each in known)
        chances = rejections(ProgramOutcome(row["task_id"], False, False, rejecting, len(known)))
        own = sums.setdefault(row["task_id"], [0.0] * MOST_CASES)
        for number, chance in enumerate(chances):
            own[number] += chance
        programs[row["task_id"]] = programs.get(row["task_id"], 0) + 1
    means = [[each / programs[id] for each in own] for id, own in sums.items()]
    return [sum(some) / len(means) for some in zip(*means, strict=True)], sum(programs.values())


def _chosen(
    summary: Mapping[str, Any],
    lines: Mapping[str, Sequence[tuple[float, Mapping[str, Any]]]],
    name: str,
) -> Picture:
    pooled = list(summary["pooled"])
    failures = max(row["failures"] for row in pooled)
    single = [row for row in pooled if row["policy"] in CRITERIA]
    caption = (
        f"{summary['dataset']}: share of {failures} programs that pass base tests and fail plus "
        "tests which a smaller suite rejects, too, chosen without the samples of their model; "
        "against plus tests a task. The band is the 95 % interval of the mode full, crosses are "
        "covers, dashes random suites of the sizes of the last mode."
    )
    columns = ("policy", "plus tests", "found %", "from", "to", "at random %")
    keys = ("policy", "plus_tests", "found", "low", "high", "found_at_random")
    figures: list[tuple[Cell, ...]] = [
        (row["policy"], row["size"], row["share"], *row["interval"], row["share_random"])
        for row in pooled
    ]
    rows = [(policy, f"{size:.1f}", *map(percent, four)) for policy, size, *four in figures]  # type: ignore[arg-type]
    table = Table(name, "Strength against size", caption, columns, rows, data=[keys, *figures])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (mode, points) in enumerate(lines.items()):
            sizes = [size for size, _ in points]
            axes.plot(sizes, [row["share"] for _, row in points], color=colour(number),
                      marker=mark(number), label=mode)  # fmt: skip
            if mode == "full":
                low, high = zip(*(row["interval"] for _, row in points), strict=True)
                axes.fill_between(sizes, low, high, color=colour(number), alpha=0.12, linewidth=0)
        *_, last = lines.values()
        guess = [(size, row["share_random"]) for size, row in last]
        axes.plot(*zip(*guess, strict=True), color=QUIET, linestyle=(0, (4, 2)), label="at random")
        for row in single:
            is_default = row["policy"] == "default"
            mode = "full" if is_default else row["policy"].partition(",")[0]
            shade = colour(list(lines).index(mode)) if mode in lines else QUIET
            axes.plot([row["size"]], [row["share"]], color=shade, linestyle="", zorder=5,
                      marker=STAR if is_default else "x", markersize=11 if is_default else 7,
                      label="default" if is_default else None)  # fmt: skip
        axes.set(ylim=(-0.02, 1.03), xlabel="plus tests a task", ylabel="unseen failures found")
        axes.set_xlim(left=0)
        figure.legend(loc="outside right upper")

    return Picture(table.name, table.title, caption, draw, table, height=3.4)


def _drawn(curves: Mapping[str, tuple[Sequence[float], int]]) -> Picture:
    programs = "; ".join(f"{name}: {wrong}" for name, (_, wrong) in curves.items())
    caption = (
        "Mean over tasks of the share of wrong programs that N of a suite's cases, drawn at "
        f"random, reject. Wrong programs: {programs}."
    )
    columns = ("suite", "wrong programs", *(f"{n} cases, %" for n in SHOWN))
    rows: list[list[Cell]] = [
        [name, wrong, *(percent(curve[n - 1]) for n in SHOWN)]
        for name, (curve, wrong) in curves.items()
    ]
    data: list[tuple[Cell, ...]] = [
        (name, wrong, n, value)
        for name, (curve, wrong) in curves.items()
        for n, value in enumerate(curve, 1)
    ]
    heads = ("suite", "wrong_programs", "cases", "rejected")
    table = Table(DRAWN, "Cases at random", caption, columns, rows, data=[heads, *data])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (name, (curve, _)) in enumerate(curves.items()):
            at = [n - 1 for n in SHOWN]
            axes.plot(range(1, len(curve) + 1), curve, color=colour(number), marker=mark(number),
                      markevery=at, label=short(name))  # fmt: skip
        axes.set(ylim=(0, 1.03), xlabel="cases drawn at random",
                 ylabel="wrong programs rejected")  # fmt: skip
        logarithmic(axes, "x")
        figure.legend(loc="outside right upper")

    return Picture(DRAWN, table.title, caption, draw, table)
