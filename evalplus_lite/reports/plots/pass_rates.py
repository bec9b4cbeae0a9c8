"""How often each task is solved, base tests against all: the EvalPlus paper's Figure 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evalplus_lite.jobs.outputs import TaskCount
from evalplus_lite.jobs.tables import Cell, Table, percent
from evalplus_lite.reports.plots.canvas import BASE, PLUS, Picture, logarithmic, short, whole
from evalplus_lite.reports.plots.material import Board, Material, Missing, Product

if TYPE_CHECKING:
    from evalplus_lite.reports.plots.canvas import Figure

NAME = "pass-rates"
LOGARITHMIC = 0.1
"""If some task is solved, and less often than this, the scale is logarithmic, as in the paper."""


def pass_rates(material: Material) -> Iterator[Product]:
    """Yield a picture for each suite that judged."""
    for board in material.boards:
        yield _picture(board)
    if not material.boards:
        yield Missing(NAME, "needs results of evaluate")


def _picture(board: Board) -> Picture:
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
    if board.has_plus:
        caption += (
            f" All tests together accept {percent(gap)} points less on average, and no sample of "
            f"{sum(not plus for base, plus in solved)} tasks that base tests hold to be solved."
        )
    ranked: list[tuple[Cell, ...]] = [
        (id, place, *rate[: len(board.tests)]) for place, (id, rate) in enumerate(rates, 1)
    ]
    table = Table(
        f"{NAME}{board.ending}",
        "Pass rate by task",
        caption,
        ("task_id", "place", *board.tests),
        ranked,
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        edges = [place + 0.5 for place in range(len(values) + 1)]
        least = min((rate for pair in solved for rate in pair if rate), default=1.0)
        floor = 0.0
        if least < LOGARITHMIC:
            logarithmic(axes, "y")
            floor = least / 2
        base = [max(rate[0], floor) for rate in values]
        axes.stairs(base, edges, baseline=floor, fill=True, color=BASE, label="base tests")
        if board.has_plus:
            plus = [max(rate[1], floor) for rate in values]
            axes.stairs(plus, edges, baseline=floor, fill=True, color=PLUS, label="base and plus")
        axes.set(
            xlim=(edges[0], edges[-1]),
            ylim=(floor, 1.0),
            xlabel=f"tasks of {short(board.dataset)}, by base pass rate",
            ylabel="share of samples that pass" + (" (log)" if floor else ""),
        )
        whole(axes)
        axes.grid(axis="x", visible=False)
        figure.legend(loc="outside upper right", ncols=2)

    return Picture(table.name, table.title, caption, draw, table)


def _rates(board: Board) -> dict[str, tuple[float, float]]:
    """Return each task's pass rates on base and on all tests, means over the entrants with it."""
    found: dict[str, list[TaskCount]] = {}
    for entrant in board.entrants:
        for id, count in entrant.counts.items():
            found.setdefault(id, []).append(count)
    return {
        id: (_mean(some, "base_right"), _mean(some, "plus_right")) for id, some in found.items()
    }


def _mean(counts: Sequence[TaskCount], right: str) -> float:
    shares = [getattr(each, right) / each.total for each in counts]
    return float(sum(shares)) / len(shares)
