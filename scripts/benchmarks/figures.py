"""Tables of figures: printed as they come, kept as JSON, and shown in the documents from there."""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from evalplus_lite import __version__
from scripts.benchmarks.checkout import ROOT

Row = Mapping[str, Any]
"""The cells of a row by the names of their columns: text, numbers, None for an empty cell."""


class Table:
    """Rows that are printed as Markdown one by one, and kept to be saved."""

    def __init__(self, columns: Sequence[str] = (), *, is_quiet: bool = False) -> None:
        """Without ``columns``, those of the first row. ``is_quiet``: print nothing."""
        self.columns = list(columns)
        self.rows: list[Row] = []
        self._is_quiet = is_quiet

    def add(self, row: Row) -> None:
        """Take a row, and print it at once."""
        self.columns = self.columns or list(row)
        if not self._is_quiet:
            lines = markdown([row], self.columns)
            print(*(lines if not self.rows else lines[2:]), sep="\n", flush=True)
        self.rows.append(row)

    def save(self, path: Path | None, **more: Any) -> None:
        """Write the rows, how and when they were measured, and ``more``; without a path nothing."""
        if path is not None:
            content = {"measured": conditions(), "columns": self.columns, "rows": self.rows, **more}
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written(content) + "\n")
            print(f"-> {path}")


def written(value: object, depth: int = 0) -> str:
    """Return JSON text with each row of a table on a line of its own."""
    inner, outer = " " * (depth + 1), " " * depth
    is_table = isinstance(value, dict) and (not depth or "rows" in value)
    if isinstance(value, dict) and is_table:
        lines = [f"{json.dumps(key)}: {written(each, depth + 1)}" for key, each in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        lines, brackets = [json.dumps(each, ensure_ascii=False) for each in value], "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    body = ",\n".join(inner + line for line in lines)
    return f"{brackets[0]}\n{body}\n{outer}{brackets[1]}"


def conditions() -> dict[str, str]:
    """Return when, with which version and on what kind of machine figures are measured."""
    machine = f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}"
    return {
        "date": date.today().isoformat(),
        "version": __version__,
        "machine": f"{machine}, Python {platform.python_version()}",
        "load": f"{os.getloadavg()[2]:.1f}",
        "engine": engine(),
    }


ENGINE = ("sandbox", "execution", "grading")
"""The rooms on which figures of speed and soundness depend."""


@cache
def engine() -> str:
    """Return a hash of the engine's code; comments, docstrings and layout do not matter."""
    digest = hashlib.sha256()
    for room in ENGINE:
        for path in sorted((ROOT / "evalplus_lite" / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                body = getattr(node, "body", None)
                if isinstance(body, list):
                    node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
            digest.update(ast.unparse(tree).encode())
    return digest.hexdigest()[:12]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def markdown(rows: Iterable[Row], columns: Sequence[str]) -> list[str]:
    """Return a table's lines; a column whose cells are numbers or empty stands to the right."""
    rows = list(rows)
    numeric = [all(_is_number(row.get(column)) for row in rows) for column in columns]
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "|".join("---:" if right else "---" for right in numeric) + "|",
    ]
    for row in rows:
        lines.append("| " + " | ".join(cell(row.get(column)) for column in columns) + " |")
    return lines


def cell(value: object) -> str:
    """Return a cell's text: numbers of three digits or so, in one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return (
            f"{value:.2f}"
            if abs(value) < 9.995
            else f"{value:.1f}"
            if abs(value) < 99.95
            else f"{value:.0f}"
        )
    return " ".join(str(value).replace("|", "\\|").split())


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, int | float)


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson's), from 0 to 1."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, found / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def arguments(description: str | None, *, workers: bool = True) -> argparse.ArgumentParser:
    """Return a parser with what most benchmarks take: ``--record`` and ``--workers``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if workers:
        parser.add_argument("--workers", type=int, default=2, help="sandboxes at a time")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the figures as JSON")
    return parser
