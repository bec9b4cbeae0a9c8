"""The journal of a long job: an append-only file of rows, safe to kill and resume at any time."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES, Row, read_jsonl, read_text
from evalplus_lite.store.writing import dump_row, open_locked, reporting, write_text

_CHUNK = 1 << 16
_SECONDS = 1.0


class Journal:
    """A JSONL file that one process appends to, and that a later run resumes.

    Opening locks the file (a second opener gets an InputError) and cuts off an incomplete last
    line, left by a kill during a write. ``append`` buffers rows and writes them every ``batch``
    rows, or when a second has passed since the last write; a kill loses at most these. Written rows
    survive any end of the process. On a full disk the partial write is cut off, InfrastructureError
    is raised, and the buffered rows stay for the next ``flush``.

    ``identity`` has everything on which the rows depend (dataset, seed, limits ...). It is kept in
    a separate file (``settings_file``), so that the journal has only the job's rows. Opening a
    journal with another identity raises InputError. ``force`` drops the rows of an earlier run and
    starts over.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        identity: Mapping[str, Any] | None = None,
        force: bool = False,
        batch: int = 256,
    ) -> None:
        """Open, lock and repair the file; create missing parent folders."""
        self.path = Path(os.path.realpath(path))
        self._batch = batch
        self._pending: list[bytes] = []
        self.before: Callable[[], None] | None = None
        """Called before rows are written."""
        self._written = time.monotonic()
        with reporting(path):
            if self.path.exists() and not self.path.is_file():
                raise InputError("is not a regular file", path=path, remedy="name a file to write")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor: int | None = open_locked(self.path, named=path)
        try:
            self._size = 0 if force else _end_of_last_line(self._descriptor)
            if identity is not None and not force:
                self._identify(dict(identity))
            with reporting(path):
                self._cut()
            if identity is not None:
                _note(settings_file(self.path), dict(identity))
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        """Close, also after an error, as the rows so far are valid."""
        self.close()

    def rows(self) -> Iterator[Row]:
        """Yield the rows written so far; raise InputError if one is damaged."""
        self.flush()
        if self._size:
            yield from read_jsonl(self.path, max_line=OWN_LINE, max_values=OWN_VALUES)

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a JSON-ready row (else ValueError, TypeError); write when enough are buffered."""
        self.append_line(dump_row(row))

    def append_line(self, line: str) -> None:
        """Add a row in the form of ``dump_row``, perhaps from another process of ours."""
        self._pending.append(line.encode("ascii") + b"\n")
        if len(self._pending) >= self._batch or time.monotonic() - self._written >= _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write all buffered rows, after which a kill cannot lose them."""
        if self._descriptor is None:
            raise ValueError(f"{self.path}: the journal is closed")
        self._written = time.monotonic()
        if not self._pending:
            return
        if self.before is not None:
            self.before()
        data = memoryview(b"".join(self._pending))
        with reporting(self.path):
            try:
                done = 0
                while done < len(data):
                    done += os.write(self._descriptor, data[done:])
            except BaseException:
                self._cut()  # remove the partial write, so that a later flush writes rows once
                raise
        self._size += len(data)
        self._pending.clear()

    def count(self) -> int:
        """Return the number of written rows."""
        self.flush()
        with open(self.path, "rb") as file:
            return sum(part.count(b"\n") for part in iter(partial(file.read, _CHUNK), b""))

    def keep(self, count: int) -> int:
        """Drop all but the first ``count`` rows; return how many are left."""
        self.flush()
        left = size = 0
        with open(self.path, "rb") as file:
            for line in islice(file, count):
                left, size = left + 1, size + len(line)
        self._size = size
        with reporting(self.path):
            self._cut()
        return left

    def close(self) -> None:
        """Write the buffered rows, sync them to disk and release the lock; idempotent."""
        if self._descriptor is None:
            return
        try:
            self.flush()
            with reporting(self.path):
                os.fsync(self._descriptor)
        finally:
            self._release()

    def _release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _cut(self) -> None:
        """Truncate the file after the last line known to be complete."""
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, self._size)
        os.lseek(self._descriptor, self._size, os.SEEK_SET)

    def _identify(self, identity: Mapping[str, Any]) -> None:
        """Raise InputError if there are rows that were made with another identity."""
        place = settings_file(self.path)
        if not place.is_file():
            if self.path.stat().st_size:
                raise InputError(
                    f"holds rows, but {place.name}, with the settings that made them, is missing",
                    path=self.path,
                    remedy="choose another output, or --force to replace it",
                )
            return
        if self._size == 0:  # without rows, the settings may differ
            return
        before = parse_json(read_text(place), path=place)
        if type(before) is not dict:
            raise InputError("is not a file of settings", path=place, remedy="--force starts over")
        # Convert to JSON and back, so that both sides have the same types: lists, not tuples.
        now = parse_json(dump_row(identity))
        names = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        if names:
            changes = ", ".join(f"{key} {before.get(key)!r}, now {now.get(key)!r}" for key in names)
            raise InputError(
                f"was begun with other settings: {changes}",
                path=self.path,
                remedy="keep the same settings to resume, choose another output, or --force",
            )


def settings_file(path: Path) -> Path:
    """Return the file for a journal's identity: ``results.settings.json`` for results.jsonl."""
    return path.with_name(f"{path.name.removesuffix('.jsonl')}.settings.json")


def _note(place: Path, identity: Mapping[str, Any]) -> None:
    text = json.dumps(identity, indent=2) + "\n"
    try:
        if place.read_text(encoding="utf-8") == text:
            return
    except (OSError, ValueError):
        pass
    write_text(place, text)


def _end_of_last_line(descriptor: int) -> int:
    """Return the offset after the last line end; 0 if there is none."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - _CHUNK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


# The rows of a job: in a journal that a later run can resume, or in memory for this run only.


Finished = TypeVar("Finished")


class Memory:
    """Rows of a job that cannot be resumed, as no file is written."""

    path: Path | None = None

    def __init__(self) -> None:
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Keep the rows, as they are the result."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows so far."""
        yield from (Row(number, json.loads(line)) for number, line in enumerate(self._lines, 1))

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a JSON-ready row."""
        self._lines.append(dump_row(row))

    def append_line(self, line: str) -> None:
        """Add a row in the form of ``dump_row``."""
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
    """Yield each row of an earlier run, converted by ``read``.

    Raises InputError, naming the line, for a row that this job would not write.
    """
    for row in rows.rows():
        try:
            record = read(row)
        except (LookupError, TypeError, ValueError, AttributeError, CodecError) as error:
            raise InputError(
                f"is not a row of this job: {type(error).__name__}: {str(error)[:200]}",
                path=rows.path,
                line=row.line,
                remedy="choose another output, or --force to start over",
            ) from None
        yield record
