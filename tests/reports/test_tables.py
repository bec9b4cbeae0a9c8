"""Tables hold any text, and say the same in each of their forms."""

from __future__ import annotations

import csv
import io
import re

import pytest

from evalplus_lite.jobs.tables import Table

ODD = ["a|b", "$x$ & 5% #_{}~^\\", "<script>", "\u202eevil\n\x1b[2J", "", "*bold* [link](x)"]


def table(names: list[str]) -> Table:
    rows = [(name, 0.5, None) for name in names]
    return Table("a-table", "A title", ("model", "x %", "none"), rows, caption="What: 5 % of_it.")


def test_markdown_has_a_line_a_row_and_as_many_cells() -> None:
    lines = table(ODD).to_markdown().splitlines()
    assert len(lines) == len(ODD) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
        assert "<script" not in line.replace("\\<", "")
        assert line.isprintable()


def test_latex_is_balanced_and_has_nothing_special_left() -> None:
    text = table(ODD).to_latex()
    assert text.count("\\begin{") == text.count("\\end{") == 2
    body = text[text.index("\\midrule") : text.index("\\bottomrule")].strip()
    assert len(body.splitlines()) == len(ODD) + 1
    for line in body.splitlines()[1:]:
        plain = re.sub(r"\\(?:text[a-z]+\{\}|[$&%#_{}\\])", "", line)
        assert plain.count("&") == 2
        assert not set("$%#_{}~^\\<>") & set(plain)


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_csv_is_no_formula(start: str) -> None:
    """A spreadsheet takes what begins so for one; a dash alone, and numbers, are none."""
    found = list(csv.reader(io.StringIO(table([f"{start}1+1", "-"]).to_csv())))
    assert [row[0] for row in found] == ["model", f"'{start}1+1", "-"]
    assert found[1][1:] == ["0.5", ""]


def test_csv_has_the_data_and_not_what_is_shown() -> None:
    rounded = Table("t", "", ("a",), [("33.3",)], data=[("a",), (1 / 3,)])
    assert rounded.to_csv() == f"a\r\n{1 / 3!r}\r\n"
