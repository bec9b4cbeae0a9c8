"""The rows of a job: in a journal that a later run takes up, or in memory for this run alone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from evalplus_lite.store.journal import Journal
from evalplus_lite.store.reading import Row
from evalplus_lite.store.writing import dump_row

Finished = TypeVar("Finished")


class Memory:
    """Rows of a job that nobody resumes: no file is written."""

    path: Path | None = None

    def __init__(self) -> None:
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Keep the rows: they are the result."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows taken so far."""
        yield from (Row(number, json.loads(line)) for number, line in enumerate(self._lines, 1))

    def reading(self, row: Row) -> contextlib.AbstractContextManager[None]:
        """Return a context that does nothing: the rows are this process's own."""
        return contextlib.nullcontext()

    def append(self, row: Mapping[str, Any]) -> None:
        """Take a JSON-ready row."""
        self._lines.append(dump_row(row))

    def append_line(self, line: str) -> None:
        """Take a row as ``dump_row`` wrote it."""
        self._lines.append(line)

    def flush(self) -> None:
        """Do nothing, as there is no file."""


Rows: TypeAlias = Journal | Memory


def open_rows(
    path: Path | None,
    *,
    identity: Mapping[str, Any] | None,
    force: bool = False,
    batch: int = 256,
) -> Rows:
    """Return the journal at ``path`` (see ``Journal``), or rows in memory for None."""
    if path is None:
        return Memory()
    return Journal(path, identity=identity, force=force, batch=batch)


def finished(rows: Rows, read: Callable[[Row], Finished]) -> Iterator[Finished]:
    """Yield what ``read`` makes of each row that an earlier run left.

    A row that is not as this job writes them is an InputError that names its line.
    """
    for row in rows.rows():
        with rows.reading(row):
            record = read(row)
        yield record
