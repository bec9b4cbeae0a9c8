"""Reading JSONL and text files as streams, with every fault named by file and line."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple, NoReturn, cast

from evalplus_lite.errors import InputError
from evalplus_lite.store.parsing import MAX_VALUES, parse_json

# Bytes a line may hold unless the caller says otherwise: 40 times the largest published row.
MAX_LINE = 32 << 20
OWN_LINE = 256 << 20  # bytes a line of a file that only we write may hold
OWN_VALUES = 20_000_000  # values that a line of a file that only we write may hold
# How many times its packed size a gzip file may unpack to, beyond ``FREE_UNPACKED``.
MAX_RATIO = 300
FREE_UNPACKED = 256 << 20

_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 16

# The files of this project's output folders that other commands read.
OUTPUTS = ("suite.jsonl.gz", "samples.jsonl")


class Row(NamedTuple):
    """One row of a JSONL file and the line, from 1, that it is on."""

    line: int
    data: dict[str, Any]


def read_jsonl(
    path: str | os.PathLike[str],
    *,
    max_line: int = MAX_LINE,
    max_values: int = MAX_VALUES,
    on_fault: Callable[[InputError], None] | None = None,
) -> Iterator[Row]:
    """Yield the rows of a JSONL file, plain or gzip (by its content), one line in memory.

    Blank lines are skipped. Raises InputError if the file is missing, a folder, unreadable, empty,
    cut short or damaged gzip, or gzip that unpacks to more than ``MAX_RATIO`` times its size; and,
    naming the line, if one is not UTF-8, holds a NUL byte, more than ``max_line`` bytes, no JSON
    object, or what ``parse_json`` refuses. With ``on_fault`` such a line is handed to it and passed
    over, so that one line cannot end the reading of the others.
    """
    found = False
    with _opened(path) as stream:
        number = 0
        while data := stream.readline(max_line + 1):
            number += 1
            try:
                row = _row(data, path, number, max_line, max_values)
            except InputError as error:
                if on_fault is None:
                    raise
                found = True
                on_fault(error)
                while data and not data.endswith(b"\n"):
                    data = stream.readline(_PIECE)
                continue
            if row is not None:
                found = True
                del data  # while the caller works with the row, its text is not kept
                yield row
    if not found:
        raise InputError("holds no rows", path=path, remedy="is this the right file?")


def read_rows(
    path: str | os.PathLike[str], *, on_fault: Callable[[InputError], None] | None = None
) -> Iterator[Row]:
    """Yield the rows of a JSONL file, or the objects of a file that is one JSON array.

    Of an array a row's line is its number; it is read whole, and may hold as much as one line may.
    For the rest see ``read_jsonl``.
    """
    if read_beginning(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        yield from read_jsonl(path, on_fault=on_fault)
        return
    items = parse_json(read_text(path), path=path)
    if not items:
        raise InputError("holds no rows", path=path, remedy="is this the right file?")
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
    """Return the text of a file, plain or gzip; InputError as for ``read_jsonl``."""
    with _opened(path) as stream:
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"holds more than {max_bytes} bytes", path=path)
    return _decoded(data, path, None)


def read_raw(path: str | os.PathLike[str], *, max_bytes: int) -> bytes:
    """Return up to ``max_bytes`` bytes of a file, not unpacked; InputError if it is unreadable."""
    with _opened(path, packed=True) as stream:
        return stream.read(max_bytes)


def read_beginning(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of a file's content, unpacked; InputError as for ``read_jsonl``."""
    with _opened(path) as stream:
        return stream.read(100)


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str], *, packed: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacked if it is gzip and unless it is to stay ``packed``.

    Every failure is an InputError.
    """

    def refuse(problem: str, remedy: str | None = None) -> NoReturn:
        raise InputError(problem, path=path, remedy=remedy) from None

    try:
        with open(path, "rb") as raw:
            if not packed and raw.peek(2)[:2] == _GZIP_MAGIC:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    # GzipFile's own readline is several times slower than this buffer's.
                    bounded = _Unpacked(unpacked, raw, path)
                    yield cast("IO[bytes]", io.BufferedReader(bounded, _PIECE))
            else:
                yield raw
    except FileNotFoundError:
        refuse("does not exist", "check the path")
    except IsADirectoryError:
        inside = [name for name in OUTPUTS if os.path.isfile(os.path.join(path, name))]
        remedy = f"did you mean {inside[0]} in it?" if inside else "give the file in it"
        refuse("is a folder, a file was expected", remedy)
    except EOFError:
        refuse("is gzip cut short", "copy or download it again")
    except (gzip.BadGzipFile, zlib.error) as error:
        refuse(f"is damaged gzip: {error}", "copy or download it again")
    except OSError as error:
        refuse(f"cannot be read: {error.strerror or error}")


class _Unpacked(io.RawIOBase):
    """Unpacks a gzip file as long as that stays in proportion to its size."""

    def __init__(self, unpacked: gzip.GzipFile, packed: IO[bytes], path: object) -> None:
        self.unpacked, self.packed, self.path, self.count = unpacked, packed, path, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self.unpacked.readinto(buffer)
        self.count += count
        if self.count > max(FREE_UNPACKED, MAX_RATIO * self.packed.tell()):
            raise InputError(
                f"is gzip that unpacks to more than {MAX_RATIO} times its size", path=self.path
            )
        return count


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
