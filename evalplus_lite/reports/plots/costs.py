"""What suites and samples cost, in seconds as they were measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalplus_lite.jobs.outputs import group_of
from evalplus_lite.jobs.tables import Table, percent
from evalplus_lite.reports.plots.canvas import Picture, colour, logarithmic, mark, short
from evalplus_lite.reports.plots.material import Board, Material, Missing, Product
from evalplus_lite.store import parse_json, read_text

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Figure

SUITES, SAMPLES = "cost", "cost-samples"
STEP = 20
"""Bins a power of ten of seconds: a quantile is good to an eighth."""
LEAST = 1e-4
MOST_LINES = 14
"""Models that one picture tells apart."""


@dataclass(slots=True)
class Spent:
    """What samples took: how many so many seconds, by bin, their sum, and the most bytes."""

    bins: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0
    memory: int = 0

    def add(self, seconds: float, memory: int | None) -> None:
        """Count one sample."""
        self.bins[math.ceil(STEP * math.log10(max(seconds, LEAST)))] += 1
        self.seconds += seconds
        self.memory = max(self.memory, memory or 0)

    @property
    def curve(self) -> list[tuple[float, float]]:
        """Seconds, and the share of samples that took no more."""
        whole, found = self.bins.total(), 0
        points = []
        for at, count in sorted(self.bins.items()):
            found += count
            points.append((10 ** (at / STEP), found / whole))
        return points

    def quantile(self, share: float) -> float:
        """Return the seconds that this share of samples takes at most, rounded up to its bin."""
        return next(seconds for seconds, reached in self.curve if reached >= share)


def cost(material: Material) -> Iterator[Product]:
    """Yield a picture for each quality whose suites were timed, and each suite's judged samples."""
    found = False
    for output, ending in material.of("quality"):
        path = output.folder / "timing.json"
        if path.is_file():
            found = True
            seconds = parse_json(read_text(path), path=path)["seconds_a_task"]
            suites = [each for each in output.summary["suites"] if each["name"] in seconds]
            yield _timed(suites, seconds, f"{SUITES}{ending}")
    for board in material.boards:
        spent = _spent(board)
        if spent:
            found = True
            yield _judged(board, spent)
    if not found:
        yield Missing(
            SUITES,
            "needs a folder of quality with its timing.json, or of evaluate with costs.jsonl",
        )


def _spent(board: Board) -> dict[str, Spent]:
    """Return what each entrant's samples took, as far as it was measured."""
    found: dict[str, Spent] = {}
    for evaluation in board.evaluations:
        own = {each.group: each.label for each in board.entrants if each.evaluation is evaluation}
        for row, cost in evaluation.measured():
            if cost.cpu is not None:
                label = own[group_of(row)]
                found.setdefault(label, Spent()).add(cost.cpu, cost.memory)
    return found


def _judged(board: Board, spent: Mapping[str, Spent]) -> Picture:
    shown = list(spent.items())[:MOST_LINES]
    caption = (
        f"{board.dataset}: the share of samples that took so many seconds of processor time on all "
        "cases they were run on, as measured on the machine that judged them."
    )
    if len(shown) < len(spent):
        caption += f" The first {len(shown)} of {len(spent)}; the table has all."
    table = Table(
        f"{SAMPLES}{board.ending}",
        "Cost of samples",
        caption,
        ("model", "samples", "mean_seconds", "median_seconds", "p95_seconds", "most_bytes"),
        [(label, each.bins.total(), each.seconds / each.bins.total(), each.quantile(0.5),
          each.quantile(0.95), each.memory) for label, each in spent.items()],
    )  # fmt: skip

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (label, each) in enumerate(shown):
            seconds, shares = zip(*each.curve, strict=True)
            axes.step(seconds, shares, where="post", color=colour(number), label=short(label),
                      marker=mark(number), markevery=max(1, len(shares) // 6))  # fmt: skip
        axes.set(ylim=(0, 1.03), xlabel="seconds of CPU", ylabel="share of samples")
        logarithmic(axes, "x", parts=(1,))
        figure.legend(loc="outside right upper")

    return Picture(table.name, table.title, caption, draw, table)


def _timed(suites: list[dict[str, object]], seconds: dict[str, float], name: str) -> Picture:
    rows = []
    for each in suites:
        rate = each["all"]["tnr"]  # type: ignore[index]
        low, high = rate["interval"] or (None, None)
        cases = each["cases_a_task"]["all"]  # type: ignore[index]
        rows.append(
            (str(each["name"]), cases, seconds[str(each["name"])], rate["value"], low, high)
        )
    caption = (
        "Seconds of the reference over all cases of a task, as measured on the machine that ran "
        "quality, and the share of wrong programs that the suite rejects, with its 95 % interval."
    )
    table = Table(
        name,
        "Cost of suites",
        caption,
        ("suite", "tests a task", "ms a task", "wrong rejected %", "from", "to"),
        [
            (suite, f"{cases:.1f}", f"{1000 * time:.2f}", *map(percent, three))
            for suite, cases, time, *three in rows
        ],
        data=[("suite", "tests_a_task", "seconds_a_task", "tnr", "low", "high"), *rows],
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (suite, _, time, rate, low, high) in enumerate(rows):
            if rate is not None:
                ends = ([max(0.0, rate - low)], [max(0.0, high - rate)])
                axes.errorbar([1000 * time], [rate], yerr=ends, color=colour(number), capsize=2,
                              fmt=mark(number), label=short(suite))  # fmt: skip
        axes.set(ylim=(0, 1.03), xlabel="milliseconds a task", ylabel="wrong programs rejected")
        axes.set_xlim(left=0)
        figure.legend(loc="outside right upper")

    return Picture(name, table.title, caption, draw, table)
