"""The tables of results: one record, written as Markdown, LaTeX (booktabs) and CSV.

The terminal (``cli.console.print_table``) and HTML (``page.document``) show the same record.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

Cell = str | int | float | None
"""None is an empty cell, a float is shown with as many decimals as it needs."""

MOST_CHARACTERS = 60
"""Characters of a value that a cell shows."""
WIDE = 8
"""Columns beyond which a table is set smaller in LaTeX."""
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings, with a name for its files and a note for readers.

    The first ``left`` columns are words, the others numbers. Columns called ``group, name`` are
    grouped under a heading in LaTeX. ``data`` has the same figures unrounded and in long form, its
    headings first; without it CSV has the rows as shown.
    """

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int = 1
    data: Sequence[Sequence[Cell]] = ()

    def heading(self) -> str:
        """Return the title as Markdown."""
        return markdown(self.title)

    def note(self) -> str:
        """Return the caption as a paragraph of Markdown."""
        return f"{markdown(self.caption)}\n" if self.caption else ""

    def to_markdown(self) -> str:
        """Return the table in Markdown; numbers are right-aligned."""
        marks = ["---" if number < self.left else "---:" for number in range(len(self.columns))]
        lines = [[markdown(name) for name in self.columns], marks]
        lines += [[markdown(_text(cell)) for cell in row] for row in self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_latex(self) -> str:
        """Return a table environment for the package booktabs."""
        form = "l" * self.left + "r" * (len(self.columns) - self.left)
        lines = [
            "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}",
            "\\begin{table}",
            "  \\centering",
            *(["  \\small\\setlength{\\tabcolsep}{3pt}"] if len(self.columns) > WIDE else []),
            f"  \\caption{{{latex(self.title)}. {latex(self.caption)}}}",
            f"  \\label{{tab:{re.sub('[^a-z0-9-]', '-', self.name.lower())}}}",
            f"  \\begin{{tabular}}{{{form}}}",
            "    \\toprule",
            *(f"    {line}" for line in self._headings()),
            "    \\midrule",
            *(f"    {' & '.join(latex(_text(cell)) for cell in row)} \\\\" for row in self.rows),
            "    \\bottomrule",
            "  \\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _headings(self) -> Iterator[str]:
        """Yield the lines of LaTeX above the rows: groups, if there are any, then names."""
        parts = [column.partition(", ") for column in self.columns]
        groups = [(group, len(list(some))) for group, some in groupby(p[0] for p in parts)]
        if any(count > 1 for _, count in groups):
            cells, rules, at = [], [], 1
            for group, count in groups:
                name = f"\\multicolumn{{{count}}}{{c}}{{{latex(group)}}}"
                cells.append(name if count > 1 else "")
                rules += [f"\\cmidrule(lr){{{at}-{at + count - 1}}}"] * (count > 1)
                at += count
            yield f"{' & '.join(cells)} \\\\"
            yield " ".join(rules)
        many = {group for group, count in groups if count > 1}
        names = [name if group in many else whole
                 for (group, _, name), whole in zip(parts, self.columns, strict=True)]  # fmt: skip
        yield f"{' & '.join(map(latex, names))} \\\\"

    def to_csv(self) -> str:
        """Return the figures, unrounded, as CSV (RFC 4180) with a line of headings.

        A text that a spreadsheet would take for a formula has an apostrophe before it.
        """
        stream = io.StringIO()
        rows = self.data or [self.columns, *self.rows]
        csv.writer(stream).writerows([_inert(cell) for cell in row] for row in rows)
        return stream.getvalue()


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal; a dash for None."""
    return "-" if share is None else f"{100 * share:.1f}"


def ends(interval: Sequence[float] | None) -> str:
    """Return an interval as percentages: ``[60.8, 75.0]``; a dash for None."""
    return "-" if interval is None else f"[{', '.join(map(percent, interval))}]"


def sure(share: float | None, interval: Sequence[float] | None) -> str:
    """Return a share as a percentage with the ends of its interval: ``68.3 [60.8, 75.0]``."""
    return percent(share) + ("" if interval is None else f" {ends(interval)}")


def short(value: object, most: int = MOST_CHARACTERS) -> str:
    """Return a value as a text for a cell; nothing for None."""
    text = "" if value is None else str(value)
    return text if len(text) <= most else text[:most] + "..."


def readable(text: str) -> str:
    """Return a text as one line without characters that are hidden or reverse its direction."""
    return "".join(each if each.isprintable() else " " for each in text).strip() or "?"


def latex(text: str) -> str:
    """Return a text for LaTeX, its special characters written out."""
    shown = "".join(_LATEX.get(each, each) for each in (readable(text) if text else ""))
    return shown.replace("★", r"$\star$")


def _text(cell: Cell) -> str:
    return "" if cell is None else f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def markdown(text: str) -> str:
    """Return a text for Markdown: one line, its special characters escaped."""
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", readable(text)) if text else ""


def _inert(cell: Cell) -> Cell:
    if isinstance(cell, str):
        text = readable(cell) if cell else ""
        return f"'{text}" if text[:1] in ("=", "+", "-", "@") and len(text) > 1 else text
    return cell
