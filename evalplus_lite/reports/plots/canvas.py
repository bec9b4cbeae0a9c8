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
from evalplus_lite.reports.plots.style import SETTINGS, WIDTH
from evalplus_lite.store import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure

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


def grid(figure: Figure, count: int, *, columns: int = 4) -> list[Axes]:
    """Return the axes of ``count`` panels of the same scales, ``columns`` beside each other."""
    wide = min(count, columns)
    found = figure.subplots(-(-count // wide), wide, sharex=True, sharey=True, squeeze=False)
    panels = list(found.flat)
    for number, axes in enumerate(panels):
        axes.set_visible(number < count)
        if number < count:  # the last one of a column has the scale, also above an empty place
            axes.tick_params(labelbottom=number + wide >= count)
    return panels[:count]
