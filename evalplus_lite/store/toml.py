"""Rows written by hand: a TOML file of tables, with comments and texts of several lines."""

from __future__ import annotations

import datetime
import json
import os
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.store.reading import Row, read_text

TABLES = "task"
MAX_BYTES = 1 << 20
"""Largest file: the TOML parser is slower than JSON's."""
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){65}""")
"""A key with this many parts, whose reading takes quadratic time."""
MOST_TABLES = 5000
"""They cost the square of their number, too."""
_TABLE = re.compile(r"^[ \t]*\[[^\n,]*+$", re.MULTILINE)
_HEADING = re.compile(rf"^[ \t]*\[\[[ \t]*{TABLES}[ \t]*\]\]", re.MULTILINE)


def read_toml(path: str | os.PathLike[str]) -> Iterator[Row]:
    """Yield the ``[[task]]`` tables of a TOML file as rows, each with the line of its heading.

    Dates and times are tagged as in JSON. Raises InputError if the file cannot be read, is not
    TOML, holds anything else, or more than ``MAX_BYTES`` or ``MOST_TABLES``.
    """
    text = read_text(path, max_bytes=MAX_BYTES)
    if long := _LONG_KEY.search(text):
        start = text.count("\n", 0, long.start()) + 1
        raise InputError("has a key of very many parts", path=path, line=start)
    if sum(1 for _ in _TABLE.finditer(text)) > MOST_TABLES:
        remedy = "write this many tasks as JSONL"
        raise InputError(f"holds more than {MOST_TABLES} tables", path=path, remedy=remedy)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(place[1]) if place else None
        problem = str(error)[: place.start()] if place else str(error)[:200]
        raise InputError(f"is not valid TOML: {problem}", path=path, line=line) from None
    except RecursionError:
        raise InputError("nests too deeply", path=path) from None
    tables = document.pop(TABLES, None)
    if type(tables) is not list or document:
        raise InputError(
            f"holds {next(iter(document))[:60]!r}" if document else f"has no [[{TABLES}]] tables",
            path=path,
            remedy=f"write each task as a table: [[{TABLES}]]",
        )
    starts = [text.count("\n", 0, place.start()) + 1 for place in _HEADING.finditer(text)]
    lines = starts if len(starts) == len(tables) else range(1, len(tables) + 1)
    for line, table in zip(lines, tables, strict=True):
        # Values that JSON can represent stay within the bounds of all rows.
        yield Row(line, parse_json(_json(table, path, line), path=path, line=line))


def _tagged(value: object) -> dict[str, str]:
    """Return a date or a time, which TOML has and JSON has not, as tagged JSON has it."""
    for kind in (datetime.datetime, datetime.date, datetime.time):
        if isinstance(value, kind):
            return {f"${kind.__name__}": value.isoformat()}
    raise TypeError(f"{value!r:.60}")


def _json(table: dict[str, Any], path: object, line: int) -> str:
    try:
        return json.dumps(table, default=_tagged)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"holds a value that no task has: {error}", path=path, line=line) from None
