"""Whatever is told apart by colour can be: on paper, and by people who see fewer colours."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re

import pytest

from evalplus_lite.jobs.tables import Table
from evalplus_lite.reports.plots.canvas import (
    BASE,
    COLOURS,
    MARKS,
    PLUS,
    QUIET,
    colour,
    mark,
    short,
)

WHITE = "#ffffff"
# How linear red, green and blue are seen without one kind of cone (Machado et al. 2009).
SEEN = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                (-0.003882, -0.048116, 1.051998)),
    "no middle": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                  (-0.011820, 0.042940, 0.968881)),
    "no short": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                 (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750),
          (0.0193339, 0.1191920, 0.9503041))  # fmt: skip


def linear(colour: str) -> list[float]:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]


def times(rows: tuple[tuple[float, ...], ...], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows]


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio."""
    dark, light = sorted(times(TO_XYZ, linear(each))[1] for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, cones: str) -> list[float]:
    """CIELAB, as seen with these cones."""
    seen = [min(1.0, max(0.0, x)) for x in times(SEEN[cones], linear(colour))]
    xyz = [x / white for x, white in zip(times(TO_XYZ, seen), (0.95047, 1, 1.08883), strict=True)]
    f = [x ** (1 / 3) if x > 216 / 24389 else (24389 / 27 * x + 16) / 116 for x in xyz]
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


@pytest.mark.parametrize("each", [*COLOURS, BASE, PLUS, QUIET])
def test_lines_stand_out_from_white(each: str) -> None:
    """3 is what WCAG 2.1 (1.4.11) asks of graphics."""
    assert contrast(each, WHITE) >= 3


def test_colours_and_marks_repeat_late() -> None:
    """Base and plus stand out from each other; names are of bounded length."""
    assert contrast(BASE, PLUS) >= 3
    pairs = [(colour(n), mark(n)) for n in range(len(COLOURS) * len(MARKS))]
    assert len(set(pairs)) == len(pairs)
    assert short("a\x1b[31m\u202eb\n") == "a [31m b"
    assert short("\x00") == "?"
    assert len(short("x" * 999, 20)) == 20


@pytest.mark.parametrize("cones", SEEN)
def test_any_two_colours_differ(cones: str) -> None:
    """20 in CIELAB: the colours of Okabe and Ito that pass the test above keep 17."""
    near = {
        (one, other): math.dist(lab(one, cones), lab(other, cones))
        for one, other in itertools.combinations(COLOURS, 2)
    }
    assert min(near.values()) >= 20, min(near, key=lambda pair: near[pair])


# Tables hold any text, and say the same in each of their forms.

ODD = ["a|b", "$x$ & 5% #_{}~^\\", "<script>", "\u202eevil\n\x1b[2J", "", "*bold* [link](x)"]


def table(names: list[str]) -> Table:
    rows = [(name, 0.5, None) for name in names]
    return Table("a-table", "A title", ("model", "x %", "none"), rows, caption="What: 5 % of_it.")


def test_markdown_and_latex_are_balanced() -> None:
    """A line a row, nothing special left; CSV has the data and not what is shown."""
    lines = table(ODD).to_markdown().splitlines()
    assert len(lines) == len(ODD) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
        assert "<script" not in line.replace("\\<", "")
        assert line.isprintable()
    text = table(ODD).to_latex()
    assert text.count("\\begin{") == text.count("\\end{") == 2
    body = text[text.index("\\midrule") : text.index("\\bottomrule")].strip()
    assert len(body.splitlines()) == len(ODD) + 1
    for line in body.splitlines()[1:]:
        plain = re.sub(r"\\(?:text[a-z]+\{\}|[$&%#_{}\\])", "", line)
        assert plain.count("&") == 2
        assert not set("$%#_{}~^\\<>") & set(plain)
    rounded = Table("t", "", ("a",), [("33.3",)], data=[("a",), (1 / 3,)])
    assert rounded.to_csv() == f"a\r\n{1 / 3!r}\r\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_csv_is_no_formula(start: str) -> None:
    """A spreadsheet takes what begins so for one; a dash alone, and numbers, are none."""
    found = list(csv.reader(io.StringIO(table([f"{start}1+1", "-"]).to_csv())))
    assert [row[0] for row in found] == ["model", f"'{start}1+1", "-"]
    assert found[1][1:] == ["0.5", ""]
