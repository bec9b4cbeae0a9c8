"""Results as tables: CSV and JSON lines, a row a sample."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.outputs.evaluation import Evaluation
from evalplus_lite.outputs.rows import RESULT_COLUMNS, result_rows
from evalplus_lite.store.writing import dump_row, replacing

FORMULA = re.compile(r"[=+\-@\t\r]")
"""How a text begins that a spreadsheet would compute: a program chooses some texts that we keep."""


def write_csv(evaluations: Sequence[Evaluation], path: Path) -> int:
    """Write a CSV file (RFC 4180, UTF-8, with a header) and return how many rows there are.

    A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    count = 0
    with replacing(path) as stream:
        writer.writerow(RESULT_COLUMNS)
        for row in result_rows(evaluations):
            writer.writerow(map(_cell, row.values()))
            count += 1
            stream.write(_taken(text))
        stream.write(_taken(text))
    return count


def _taken(text: io.StringIO) -> bytes:
    data = text.getvalue().encode("utf-8")
    text.seek(0)
    text.truncate()
    return data


def _cell(value: Any) -> Any:
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return "" if math.isnan(value) else repr(value)
    if type(value) is str and FORMULA.match(value) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()


def write_jsonl(evaluations: Sequence[Evaluation], path: Path) -> int:
    """Write a JSON object a line, null for numbers that are not known; return how many."""
    count = 0
    with replacing(path) as stream:
        for row in result_rows(evaluations):
            for key in ("temperature", "cpu"):
                row[key] = None if math.isnan(row[key]) else row[key]
            stream.write(dump_row(row).encode("ascii") + b"\n")
            count += 1
    return count
