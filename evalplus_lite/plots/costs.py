"""What results cost: seconds where they were measured, tokens where a server counted them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evalplus_lite.plots.canvas import Picture
from evalplus_lite.plots.material import Material, Missing, Product
from evalplus_lite.plots.style import colour, mark, short
from evalplus_lite.plots.tables import Table, percent
from evalplus_lite.store import parse_json, read_text

if TYPE_CHECKING:
    from evalplus_lite.plots.canvas import Figure

NAME = "cost"


def cost(material: Material) -> Iterator[Product]:
    """Yield a picture for each quality whose suites were timed."""
    found = False
    for output, ending in material.of("quality"):
        path = output.folder / "timing.json"
        if not path.is_file():
            continue
        seconds = parse_json(read_text(path), path=path)["seconds_a_task"]
        suites = [each for each in output.summary["suites"] if each["name"] in seconds]
        found = True
        yield _timed(suites, seconds, f"{NAME}{ending}")
    if not found:
        yield Missing(NAME, "needs a folder of quality with its timing.json")


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
