"""pass@k by temperature, the best one marked: the EvalPlus paper's Table 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evalplus_lite.outputs.evaluation import Entrant
from evalplus_lite.plots.canvas import Picture, grid
from evalplus_lite.plots.material import Board, Material, Missing, Product, Tests, model_of
from evalplus_lite.plots.pass_at_k import KINDS, MOST_PANELS, Point, fewest, points
from evalplus_lite.plots.style import STAR, colour, folded
from evalplus_lite.plots.tables import Cell, Table, percent
from evalplus_lite.statistics.pass_at_k import DEFAULT_K

if TYPE_CHECKING:
    from evalplus_lite.plots.canvas import Figure

TABLE, PICTURE = "models", "temperatures"
Drawn = Sequence[tuple[Entrant, Point]]
"""One pass@k of one model, at each of its temperatures."""


def models(material: Material) -> Iterator[Product]:
    """Yield the table for each suite that judged."""
    for board in material.boards:
        yield _table(board)
    if not material.boards:
        yield Missing(TABLE, "needs results of evaluate")


def temperatures(material: Material) -> Iterator[Product]:
    """Yield a picture for each suite that judged some model at several temperatures."""
    for board in material.boards:
        some = {
            model: own
            for model, own in _by_model(board).items()
            if len({each.temperature for each in own} - {None}) > 1
        }
        if some:
            yield _picture(board, some)
        else:
            yield Missing(
                f"{PICTURE}{board.ending}",
                "needs one model's samples at two or more temperatures, named by the key "
                "temperature of their rows",
            )
    if not material.boards:
        yield Missing(PICTURE, "needs results of evaluate")


def is_greedy(entrant: Entrant) -> bool:
    """Say whether samples were drawn greedily: at 0, or one a task at no known temperature."""
    if entrant.temperature is None:
        return max(count.total for count in entrant.counts.values()) == 1
    return entrant.temperature == 0


def best(drawn: Drawn) -> tuple[Entrant, Point] | None:
    """Return the highest; of equals that of the lowest temperature."""
    return min(drawn, key=lambda pair: (-pair[1].value, pair[0].temperature or 0.0), default=None)


def _by_model(board: Board) -> dict[str, list[Entrant]]:
    found: dict[str, list[Entrant]] = {}
    for each in board.entrants:
        found.setdefault(model_of(each), []).append(each)
    return found


def _drawn(own: Sequence[Entrant], tests: Tests, k: int) -> Drawn:
    return [(each, point) for each in own for point in points(each, tests, (k,))]


def _table(board: Board) -> Table:
    ks = [k for k in DEFAULT_K if any(fewest(each) >= k for each in board.entrants)]
    rows: list[list[Cell]] = []
    data: list[list[Cell]] = []
    for model, own in _by_model(board).items():
        greedy = [each for each in own if is_greedy(each)]
        sampled = [each for each in own if not is_greedy(each)]
        for tests in board.tests:
            first = best(_drawn(greedy, tests, 1))
            tops = [best(_drawn(sampled, tests, k)) for k in ks]
            shown = [percent(None if top is None else top[1].value) for top in (first, *tops)]
            heats = ["-" if top is None else _heat(top[0]) for top in tops]
            rows.append([model, tests, *shown, *heats])
            for k in ks:
                top = best(_drawn(sampled, tests, k))
                for each, at in [*_drawn(greedy, tests, k), *([] if top is None else [top])]:
                    facts = (model, each.temperature, is_greedy(each), tests, len(each.counts), k)
                    data.append([*facts, *at.shares])
    caption = (
        f"{board.dataset}: k=1* is greedy decoding (temperature 0, or one sample of each task "
        "at no known temperature), the other columns are unbiased pass@k at the best temperature "
        "for that k, T its value, ? if samples do not name it."
    )
    return Table(
        f"{TABLE}{board.ending}",
        "pass@k by model",
        caption,
        ("model", "tests", "k=1*", *(f"k={k}" for k in ks), *(f"T{k}*" for k in ks)),
        rows,
        left=2,
        data=[
            ["model", "temperature", "greedy", "tests", "tasks", "k", "pass_at_k", "low", "high"],
            *data,
        ],
    )


def _heat(entrant: Entrant) -> str:
    return "?" if entrant.temperature is None else f"{entrant.temperature:g}"


def _picture(board: Board, some: dict[str, list[Entrant]]) -> Picture:
    ks = [k for k in DEFAULT_K if any(fewest(each) >= k for own in some.values() for each in own)]
    shown = list(some.items())[:MOST_PANELS]
    caption = (
        f"{board.dataset}: unbiased pass@k against temperature, solid on "
        f"{KINDS[board.tests[-1]]}"
        + (", dashed on base tests alone" if board.has_plus else "")
        + ". A star marks the best temperature."
    )
    if len(shown) < len(some):
        caption += f" The first {len(shown)} of {len(some)} models; the table has all."
    lines: dict[tuple[str, Tests, int], Drawn] = {
        (model, tests, k): _drawn([one for one in own if one.temperature is not None], tests, k)
        for model, own in some.items()
        for tests in board.tests
        for k in ks
    }
    stars = {key: best(drawn) for key, drawn in lines.items() if drawn}
    columns = ("model", "temperature", "tests", "k", "best", "pass_at_k", "low", "high")
    data: list[tuple[Cell, ...]] = [
        (
            model,
            each.temperature,
            tests,
            k,
            STAR if stars[model, tests, k] == (each, at) else "",
            *at.shares,
        )
        for (model, tests, k), drawn in lines.items()
        for each, at in drawn
    ]
    table = Table(f"{PICTURE}{board.ending}", "pass@k by temperature", caption, columns, data)

    def draw(figure: Figure) -> None:
        panels = grid(figure, len(shown))
        for axes, (model, _) in zip(panels, shown, strict=True):
            for number, k in enumerate(ks):
                for tests in board.tests:
                    line = lines[model, tests, k]
                    is_last = tests == board.tests[-1]
                    label = f"k = {k}" if is_last and axes is panels[0] else None
                    axes.plot(*_coordinates(line), color=colour(number), marker="o", markersize=2.5,
                              linestyle="-" if is_last else (0, (3, 2)), label=label)  # fmt: skip
                    star = best(line)
                    at = _coordinates([] if star is None else [star])
                    axes.plot(*at, color=colour(number), marker=STAR, markersize=11,
                              markeredgecolor="white", zorder=5)  # fmt: skip
            axes.set(ylim=(0, 1))
            axes.set_title(folded(model), fontsize=6.5)
        figure.supxlabel("temperature", fontsize=8)
        figure.supylabel("pass@k", fontsize=8)
        figure.legend(loc="outside upper right", ncols=3)

    height = 1.0 + 1.7 * max(-(-len(shown) // 4), 1.3)
    width = 7.0 if len(shown) > 2 else 2.6 * len(shown) + 1.2
    return Picture(table.name, table.title, caption, draw, table, height=height, width=width)


def _coordinates(drawn: Drawn) -> tuple[list[float], list[float]]:
    return [each.temperature or 0.0 for each, _ in drawn], [at.value for _, at in drawn]
