"""Shared parts of figures, and the interface to matplotlib; the same data give the same bytes."""

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
"""Colors of series, in this order; each has a contrast of at least 3 on white, and any two are
distinct for people who cannot see red, green or blue (tests/reports/test_style.py)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""Marks that accompany the colors, to keep series distinct in black and white."""
BASE, PLUS = "#9188b4", "#252144"
"""Colors of base and plus tests where both are shown: light and dark."""
QUIET, GRID = "#767676", "#dddddd"
"""Colors of data for comparison only, and of grid lines."""

WIDTH = 7.0
"""Width of a page's text, in inches. Heights depend on the picture."""
DOTS = 200
"""Resolution of a PNG, in dots per inch."""
LONGEST_NAME = 48
"""Maximum length of a name in a picture; the table has the whole name."""

SETTINGS: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # part of matplotlib, so pictures are equal on all machines
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
    "text.parse_math": False,  # a name with dollar signs is not a formula
    "svg.fonttype": "path",
    "svg.hashsalt": "evalplus_lite",
    "savefig.dpi": DOTS,
}
"""Applied to matplotlib's own defaults, ignoring the user's matplotlibrc."""


def colour(number: int) -> str:
    """Return the color of a series; colors repeat after the last."""
    return COLOURS[number % len(COLOURS)]


def mark(number: int) -> str:
    """Return the mark of a series; pairs of color and mark repeat after 49."""
    return MARKS[(number + number // len(COLOURS)) % len(MARKS)]


def short(text: str, most: int = LONGEST_NAME) -> str:
    """Return a readable name for a picture, truncated in the middle if it is long."""
    name = readable(text)
    if len(name) <= most:
        return name
    head = (most - 3) // 2
    return f"{name[:head]}...{name[head + 3 - most :]}"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: ``draw`` fills a matplotlib figure that is ``height`` inches high.

    ``table`` has the name of its files, its title and caption, and the numbers behind it.
    """

    table: Table
    draw: Callable[[Figure], None]
    height: float = 3.0


def write_picture(picture: Picture, folder: Path) -> list[str]:
    """Write a picture to ``NAME.svg`` and ``NAME.png`` in a folder, and return the two names.

    Raises InputError without matplotlib, or if the folder cannot be written.
    """
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(
            "figures need matplotlib",
            remedy='pip install "evalplus-lite[plots]" (in a checkout ".[plots]"), or add'
            " --no-pictures",
        ) from None
    table = picture.table
    about = {"Title": readable(table.title), "Description": readable(table.caption)}
    # Keep dates and versions out of the files.
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
    """Label only whole numbers on the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


# The results that figures are drawn from.


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure or table that could not be made, and what it needs."""

    name: str
    reason: str


Product = Picture | Table | Missing


@dataclass(frozen=True, slots=True)
class Board:
    """The model runs on one suite, and the kinds of tests with verdicts.

    ``ending`` is a suffix that distinguishes its files from those of other boards.
    """

    dataset: str
    tests: tuple[Tests, ...]
    entrants: tuple[ModelRun, ...]
    ending: str


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The number of tests in a suite: ``base`` and ``all`` have one number per task."""

    name: str
    content: str
    base: tuple[int, ...]
    all: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """All inputs of the figures; its size does not depend on the number of samples."""

    outputs: tuple[Output, ...]
    boards: tuple[Board, ...]
    suites: tuple[SuiteSize, ...]

    def of(self, kind: str) -> Iterator[tuple[Output, str]]:
        """Yield the outputs of a kind, each with a suffix for file names."""
        outputs = [each for each in self.outputs if each.kind == kind]
        names = _endings([each.folder.resolve().name for each in outputs])
        yield from zip(outputs, names, strict=True)


def boards(entrants: Iterable[ModelRun]) -> tuple[Board, ...]:
    """Group model runs by suite, in order; labels mark partial runs."""
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
    """Return how many tasks a partial run covers, in words; "" for a complete run."""
    count = len(run.counts)
    return f" ({count} of {count + run.missing} tasks)" if run.missing else ""


def _endings(names: Sequence[str]) -> list[str]:
    """Return a suffix for the files of each; "" if there is only one."""
    endings: list[str] = []
    for name in names if len(names) > 1 else ():
        ending, number = f"-{file_name(name)}", 2
        while ending in endings:
            ending, number = f"-{file_name(name)}-{number}", number + 1
        endings.append(ending)
    return endings or [""] * len(names)
