"""Reading JSONL, TOML and text files; errors name file and line."""

from __future__ import annotations

import datetime
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evalplus_lite.errors import InputError
from evalplus_lite.store.opening import Damaged, opened
from evalplus_lite.store.parsing import MAX_VALUES, parse_json

# Maximum bytes of a line by default: 40 times the largest published row.
MAX_LINE = 32 << 20
OWN_LINE = 256 << 20  # maximum bytes of a line in a file that only we write
OWN_VALUES = 20_000_000  # maximum values in a line of a file that only we write
_PIECE = 1 << 16


class NoRows(InputError):
    """A file of rows is empty."""


class Row(NamedTuple):
    """A row of a JSONL file and its line number, from 1."""

    line: int
    data: dict[str, Any]


def read_jsonl(
    path: str | os.PathLike[str],
    *,
    max_line: int = MAX_LINE,
    max_values: int = MAX_VALUES,
    on_fault: Callable[[InputError], None] | None = None,
) -> Iterator[Row]:
    """Yield the rows of a JSONL file, plain, gzip or zstd (by its content), one line at a time.

    ``path`` may be a URL. Blank lines are skipped. Raises InputError if the file is missing, a
    folder, unreadable or empty; if it is compressed, and truncated, damaged, or more than
    ``opening.MAX_RATIO`` times larger when decompressed (naming the last line read); and, naming
    the line, if one is not UTF-8, has a NUL byte, more than ``max_line`` bytes, or no JSON object,
    or if ``parse_json`` rejects it. With ``on_fault`` such errors are passed to it and the line is
    skipped, so that a bad line does not stop the reading of others.
    """
    has_rows, number = False, 0
    try:
        with opened(path) as stream:
            while data := stream.readline(max_line + 1):
                number += 1
                try:
                    row = _row(data, path, number, max_line, max_values)
                except InputError as error:
                    if number == 1 and os.fspath(path).endswith((".csv", ".tsv")):
                        raise InputError(
                            "tables as text are not read",
                            path=path,
                            remedy="write JSONL, one {...} a line: in pandas"
                            " read_csv(...).to_json(..., orient='records', lines=True)",
                        ) from None
                    if on_fault is None:
                        raise
                    has_rows = True
                    on_fault(error)
                    while data and not data.endswith(b"\n"):
                        data = stream.readline(_PIECE)
                    continue
                if row is not None:
                    has_rows = True
                    del data  # do not keep the text while the caller works with the row
                    yield row
    except Damaged as error:
        raise error.after(number) if number else error from None
    if not has_rows:
        raise NoRows("holds no rows", path=path, remedy="is this the right file?")


def read_rows(
    path: str | os.PathLike[str], *, on_fault: Callable[[InputError], None] | None = None
) -> Iterator[Row]:
    """Yield the rows of a JSONL file, or the objects in a file with one JSON array.

    In an array, a row's line is its number; the array is read as a whole, within the limits of one
    line. Otherwise see ``read_jsonl``.
    """
    if read_beginning(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        yield from read_jsonl(path, on_fault=on_fault)
        return
    items = parse_json(read_text(path), path=path)
    if not items:
        raise NoRows("holds no rows", path=path, remedy="is this the right file?")
    for number, item in enumerate(items, 1):
        if type(item) is dict:
            yield Row(number, item)
            continue
        error = InputError(
            f"holds a JSON {_json_type(item)} where an object was expected", path=path, line=number
        )
        if on_fault is None:
            raise error
        on_fault(error)


def _row(data: bytes, path: object, line: int, max_line: int, max_values: int) -> Row | None:
    if len(data) > max_line:
        raise InputError(f"the line holds more than {max_line} bytes", path=path, line=line)
    text = _decoded(data, path, line)
    if text.isspace():
        return None
    value = parse_json(text, path=path, line=line, max_values=max_values)
    if type(value) is not dict:
        raise InputError(
            f"holds a JSON {_json_type(value)} where an object was expected",
            path=path,
            line=line,
            remedy="JSONL has one {...} a line",
        )
    return Row(line, value)


def read_text(path: str | os.PathLike[str], *, max_bytes: int = MAX_LINE) -> str:
    """Return the text of a file, plain or gzip; raise InputError as ``read_jsonl`` does."""
    with opened(path) as stream:
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"holds more than {max_bytes} bytes", path=path)
    return _decoded(data, path, None)


def read_raw(path: str | os.PathLike[str], *, max_bytes: int) -> bytes:
    """Return up to ``max_bytes`` bytes of a file, without decompression; may raise InputError."""
    with opened(path, packed=True) as stream:
        return stream.read(max_bytes)


def read_beginning(path: str | os.PathLike[str]) -> bytes:
    """Return the first decompressed bytes of a file; raise InputError as ``read_jsonl`` does."""
    with opened(path) as stream:
        return stream.read(100)


def _decoded(data: bytes, path: object, line: int | None) -> str:
    if b"\x00" in data:
        raise InputError("holds a NUL byte", path=path, line=line, remedy="save it as UTF-8 text")
    try:
        return data.decode("utf-8-sig" if line in (None, 1) else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8: {error.reason} at byte {error.start + 1}",
            path=path,
            line=line,
            remedy="save it as UTF-8 text",
        ) from None


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    names = {list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
    return names[type(value)]


def written_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file written by one of our jobs; none if it is empty."""
    if path.stat().st_size:
        yield from read_jsonl(path, max_line=OWN_LINE, max_values=OWN_VALUES)


# Rows written by hand: a TOML file of tables, with comments and multi-line texts.

TABLES = "task"
MAX_BYTES = 1 << 20
"""Maximum bytes of a file, as the TOML parser is slower than JSON's."""
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){65}""")
"""A key with so many parts that reading it takes quadratic time."""
MOST_TABLES = 5000
"""Maximum number of tables, whose cost is quadratic, too."""
_TABLE = re.compile(r"^[ \t]*\[[^\n,]*+$", re.MULTILINE)
_HEADING = re.compile(rf"^[ \t]*\[\[[ \t]*{TABLES}[ \t]*\]\]", re.MULTILINE)


def read_toml(path: str | os.PathLike[str]) -> Iterator[Row]:
    """Yield the ``[[task]]`` tables of a TOML file as rows, each with the line of its heading.

    Dates and times are tagged as in JSON. Raises InputError if the file cannot be read, is not
    TOML, has other content, or exceeds ``MAX_BYTES`` or ``MOST_TABLES``.
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
        # Values that JSON can represent must be within the limits of all rows.
        yield Row(line, parse_json(_json(table, path, line), path=path, line=line))


def _tagged(value: object) -> dict[str, str]:
    """Return a date or a time, which TOML has but JSON lacks, as tagged JSON."""
    for kind in (datetime.datetime, datetime.date, datetime.time):
        if isinstance(value, kind):
            return {f"${kind.__name__}": value.isoformat()}
    raise TypeError(f"{value!r:.60}")


def _json(table: dict[str, Any], path: object, line: int) -> str:
    try:
        return json.dumps(table, default=_tagged)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"holds a value that no task has: {error}", path=path, line=line) from None
