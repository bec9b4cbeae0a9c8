"""What figures are made of, and the door to matplotlib: the same figures give the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import ModelRun, Output, Tests
from evalplus_lite.jobs.tables import Table, readable
from evalplus_lite.store import replacing
from evalplus_lite.store.labels import file_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure

COLOURS = ("#3847de", "#fe511a", "#1fa178", "#252144", "#9188b4", "#944429", "#703897")
"""For things that differ, in this order; on white each has a contrast of 3 or more, and any
two differ for people who see no red, no green or no blue (tests/plots/test_style.py)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""Next to the colors, so that they differ in print without color as well."""
BASE, PLUS = "#9188b4", "#252144"
"""The two kinds of tests wherever both are shown: a light color, a dark one."""
QUIET, GRID = "#767676", "#dddddd"
"""What is there for comparison only, and lines behind a picture."""

WIDTH = 7.0
"""Inches: the width of a page's text. Heights are as each picture needs."""
DOTS = 200
"""A PNG's dots an inch."""
LONGEST_NAME = 48
"""Characters of a name in a picture; the table beside it has all of it."""

SETTINGS: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.unicode_minus": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "text.parse_math": False,  # a name with dollar signs is no formula
    "svg.fonttype": "path",
    "svg.hashsalt": "evalplus_lite",
    "savefig.dpi": DOTS,
}
"""Over matplotlib's own defaults; a user's matplotlibrc has no say."""


def colour(number: int) -> str:
    """Return the color of the thing of that number; after the last they start over."""
    return COLOURS[number % len(COLOURS)]


def mark(number: int) -> str:
    """Return the mark of the thing of that number; color and mark together repeat after 49."""
    return MARKS[(number + number // len(COLOURS)) % len(MARKS)]


def short(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name for a picture: readable, and its middle left out where it is long."""
    name = readable(text)
    if len(name) <= most:
        return name
    head = (most - 3) // 2
    return f"{name[:head]}...{name[head + 3 - most :]}"


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: ``draw`` fills a figure of matplotlib's, ``height`` inches high.

    ``table`` has the name of its files, what is seen, from what and how, and the figures behind it.
    """

    table: Table
    draw: Callable[[Figure], None]
    height: float = 3.0


def require_matplotlib() -> None:
    """Raise InputError where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401 - whether it is there
    except ImportError:
        raise InputError(
            "figures need matplotlib",
            remedy='pip install "evalplus-lite[plots]" (in a checkout ".[plots]"), or add'
            " --no-pictures",
        ) from None


def write_picture(picture: Picture, folder: Path) -> list[str]:
    """Write a picture to ``NAME.svg`` and ``NAME.png`` in a folder and return the two names.

    Raises InputError without matplotlib, and where the folder cannot be written.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    table = picture.table
    about = {"Title": readable(table.title), "Description": readable(table.caption)}
    # No date and no versions are written into the files.
    metadata = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    written = []
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # shown as boxes
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(dict(SETTINGS))  # type: ignore[arg-type]
        figure = Figure(figsize=(WIDTH, picture.height), layout="constrained")
        FigureCanvasAgg(figure)
        picture.draw(figure)
        for ending, nothing in metadata.items():
            name, buffer = f"{table.name}.{ending}", io.BytesIO()
            figure.savefig(buffer, format=ending, metadata={**about, **nothing})
            with replacing(folder / name) as stream:
                stream.write(buffer.getvalue())
            written.append(name)
    return written


def logarithmic(
    axes: Axes, which: Literal["x", "y"], *, parts: Sequence[float] = (1, 2, 5)
) -> None:
    """Give an axis a logarithmic scale with plain numbers at these parts of each power of ten."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=list(parts)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_locator(NullLocator())


def whole(axes: Axes) -> None:
    """Have the horizontal axis name whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


# The results that figures are drawn from.


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure or table that could not be made, and what it would need."""

    name: str
    reason: str


Product = Picture | Table | Missing


@dataclass(frozen=True, slots=True)
class Board:
    """The entrants that one suite judged, and the kinds of tests that there are verdicts on.

    ``ending`` sets its files apart from other boards'.
    """

    dataset: str
    tests: tuple[Tests, ...]
    entrants: tuple[ModelRun, ...]
    ending: str


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """How many tests a suite has: ``base`` and ``all`` hold a number a task."""

    name: str
    content: str
    base: tuple[int, ...]
    all: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """All that was given: nothing of it grows with the number of samples."""

    outputs: tuple[Output, ...]
    boards: tuple[Board, ...]
    suites: tuple[SuiteSize, ...]

    def of(self, kind: str) -> Iterator[tuple[Output, str]]:
        """Yield the outputs of a kind, each with an ending for the names of files."""
        outputs = [each for each in self.outputs if each.kind == kind]
        names = _endings([each.folder.resolve().name for each in outputs])
        yield from zip(outputs, names, strict=True)


def boards(entrants: Iterable[ModelRun]) -> tuple[Board, ...]:
    """Return the entrants by what judged them, in order; labels of partial runs say so."""
    by_content: dict[str, list[ModelRun]] = {}
    for each in entrants:
        run = replace(each, label=f"{each.label}{part(each)}")
        by_content.setdefault(each.evaluation.content, []).append(run)
    first = [some[0].evaluation for some in by_content.values()]
    endings = _endings([each.dataset for each in first])
    return tuple(
        Board(one.dataset, ("base", "plus") if one.has_plus else ("base",), tuple(some), ending)
        for one, some, ending in zip(first, by_content.values(), endings, strict=True)
    )


def part(run: ModelRun) -> str:
    """Return how many tasks a run covers that has no samples for some, else nothing."""
    count = len(run.counts)
    return f" ({count} of {count + run.missing} tasks)" if run.missing else ""


def _endings(names: Sequence[str]) -> list[str]:
    """Return an ending for the files of each; none where there is but one."""
    endings: list[str] = []
    for name in names if len(names) > 1 else ():
        ending, number = f"-{file_name(name)}", 2
        while ending in endings:
            ending, number = f"-{file_name(name)}-{number}", number + 1
        endings.append(ending)
    return endings or [""] * len(names)
