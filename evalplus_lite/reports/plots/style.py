"""How all pictures look: colours that anyone can tell apart, marks, sizes, and texts made safe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplus_lite.jobs.tables import readable

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


def folded(text: str, width: int = 30) -> str:
    """Return a name on two lines where it is long, for a panel's title."""
    name = short(text, 2 * width)
    if len(name) <= width:
        return name
    breaks = [at + 1 for at, each in enumerate(name[:width]) if each in " /-_," and at > width // 2]
    at = max(breaks, default=width)
    return f"{name[:at].rstrip()}\n{short(name[at:], width)}"
