"""Reading JSONL, JSON and text files as streams, with every fault named by file and line."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, NoReturn, cast

from evalplus_lite.errors import InputError

MAX_LINE = 256 << 20
"""Bytes a line may hold unless the caller says otherwise: far beyond any real row."""
MAX_DIGITS = 1_000_000
"""Digits an integer in a file may have: reading more would take longer than any test."""

_GZIP_MAGIC = b"\x1f\x8b"


class Row(NamedTuple):
    """One row of a JSONL file and the line, from 1, that it stands in."""

    line: int
    data: dict[str, Any]


def read_jsonl(path: str | os.PathLike[str], *, max_line: int = MAX_LINE) -> Iterator[Row]:
    """Yield the rows of a JSONL file, plain or gzip (told by its content), one line in memory.

    Blank lines are skipped, and integers of up to ``MAX_DIGITS`` digits are read. Raises
    InputError, naming the line, where the file is missing, a folder, unreadable, empty, cut short
    or damaged gzip, not UTF-8, holds a NUL byte, a line over ``max_line`` bytes, or a line that is
    no JSON object.
    """
    found = False
    for line, text in _lines(path, max_line):
        data = parse_json(text, path=path, line=line)
        if type(data) is not dict:
            raise InputError(
                f"holds a JSON {_json_type(data)} where an object was expected",
                path=path,
                line=line,
                remedy="JSONL has one {...} a line",
            )
        found = True
        yield Row(line, data)
    if not found:
        raise InputError("holds no rows", path=path, remedy="is this the right file?")


def read_text(path: str | os.PathLike[str], *, max_bytes: int = MAX_LINE) -> str:
    """Return the text of a file, plain or gzip; InputError as for ``read_jsonl``."""
    with _opened(path) as stream:
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"holds more than {max_bytes} bytes", path=path)
    return _decoded(data, path, None)


def read_beginning(path: str | os.PathLike[str], *, size: int = 100) -> bytes:
    """Return the first bytes of a file's content, unpacked; InputError as for ``read_jsonl``."""
    with _opened(path) as stream:
        return stream.read(size)


def parse_json(text: str, *, path: object = None, line: int | None = None) -> Any:
    """Return the value of a JSON text; InputError naming the place where it is not JSON.

    ``NaN`` and ``Infinity`` are read as Python's json writes them: published sets hold them.
    """
    try:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer beyond the digits that int() takes
            return json.loads(text, parse_int=_parse_int)
    except json.JSONDecodeError as error:
        if line is None:
            line, column = error.lineno, error.colno
        else:
            column = error.pos + 1
        problem = error.msg.removesuffix(" at")  # as some of them end
        raise InputError(
            f"is not valid JSON: {problem} at column {column}", path=path, line=line
        ) from None
    except RecursionError:
        raise InputError("nests too deeply", path=path, line=line) from None
    except ValueError as error:
        raise InputError(str(error), path=path, line=line) from None


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacked if it is gzip, with every failure an InputError."""

    def refuse(problem: str, remedy: str | None = None) -> NoReturn:
        raise InputError(problem, path=path, remedy=remedy) from None

    try:
        with open(path, "rb") as raw:
            if raw.peek(2)[:2] == _GZIP_MAGIC:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    # GzipFile's own readline is several times slower than this buffer's.
                    yield cast("IO[bytes]", io.BufferedReader(cast("Any", unpacked), 1 << 16))
            else:
                yield raw
    except FileNotFoundError:
        refuse("does not exist", "check the path")
    except IsADirectoryError:
        refuse("is a folder, a file was expected")
    except EOFError:
        refuse("is gzip cut short", "copy or download it again")
    except (gzip.BadGzipFile, zlib.error) as error:
        refuse(f"is damaged gzip: {error}", "copy or download it again")
    except OSError as error:
        refuse(f"cannot be read: {error.strerror or error}")


def _lines(path: str | os.PathLike[str], max_line: int) -> Iterator[tuple[int, str]]:
    with _opened(path) as stream:
        number = 0
        while data := stream.readline(max_line + 1):
            number += 1
            if len(data) > max_line:
                raise InputError(
                    f"the line holds more than {max_line} bytes", path=path, line=number
                )
            text = _decoded(data, path, number)
            if not text.isspace():
                yield number, text


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


def _parse_int(digits: str) -> int:
    """Return an integer of any length: int() refuses thousands of digits, halves do not."""
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"holds an integer of more than {MAX_DIGITS} digits")
    if digits.startswith("-"):
        return -_parse_int(digits[1:])
    if len(digits) <= 4_000:
        return int(digits)
    half = len(digits) // 2
    return int(_parse_int(digits[:half]) * 10 ** (len(digits) - half)) + _parse_int(digits[half:])


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    names = {list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
    return names[type(value)]
