"""The door to matplotlib: pictures as SVG and PNG, the same bytes for the same figures."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.tables import Table, readable
from evalplus_lite.store import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure

from collections.abc import Mapping
from typing import Any

COLOURS = ("#3847de", "#fe511a", "#1fa178", "#252144", "#9188b4", "#944429", "#703897")
"""For things that are told apart, in this order; on white each has a contrast of 3 or more, and any
two differ for people who see no red, no green or no blue (tests/plots/test_style.py)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""Beside the colours, so that they are told apart in print without colour as well."""
BASE, PLUS = "#9188b4", "#252144"
"""The two kinds of tests wherever both are shown: a light colour, a dark one."""
QUIET, GRID = "#767676", "#dddddd"
"""What is there for comparison only, and lines behind a picture."""
STAR = "*"

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
    """Return the colour of the thing of that number; after the last they begin anew."""
    return COLOURS[number % len(COLOURS)]


def mark(number: int) -> str:
    """Return the mark of the thing of that number; colour and mark together repeat after 49."""
    return MARKS[(number + number // len(COLOURS)) % len(MARKS)]


def short(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name for a picture: readable, and its middle left out where it is long."""
    name = readable(text)
    if len(name) <= most:
        return name
    head = (most - 3) // 2
    return f"{name[:head]}...{name[head + 3 - most :]}"


ENDINGS = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: ``draw`` fills a figure of matplotlib's, ``height`` inches high.

    ``name`` is that of its files, ``title`` says what is seen, ``caption`` from what and how.
    ``table`` holds the figures behind it.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[Figure], None]
    table: Table
    height: float = 3.0
    width: float = WIDTH


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


def write_picture(picture: Picture, folder: Path) -> list[Path]:
    """Write a picture to ``NAME.svg`` and ``NAME.png`` in a folder and return the two paths.

    Raises InputError without matplotlib, and where the folder cannot be written.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = []
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # shown as boxes
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(dict(SETTINGS))  # type: ignore[arg-type]
        figure = Figure(figsize=(picture.width, picture.height), layout="constrained")
        FigureCanvasAgg(figure)
        picture.draw(figure)
        for ending in ENDINGS:
            path, buffer = folder / f"{picture.name}.{ending}", io.BytesIO()
            figure.savefig(buffer, format=ending, metadata=_metadata(picture, ending))
            with replacing(path) as stream:
                stream.write(buffer.getvalue())
            written.append(path)
    return written


def _metadata(picture: Picture, ending: str) -> dict[str, str | None]:
    """Return what is written about a picture into its file: no date, no versions."""
    about = {"Title": readable(picture.title), "Description": readable(picture.caption)}
    nothing = {"svg": ("Date", "Creator"), "png": ("Software",)}[ending]
    return {**about, **dict.fromkeys(nothing)}


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


def grid(figure: Figure, count: int) -> list[Axes]:
    """Return the axes of ``count`` panels of the same scales, beside each other."""
    found = figure.subplots(1, count, sharex=True, sharey=True, squeeze=False)
    return list(found.flat)
