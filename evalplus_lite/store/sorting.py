"""More records than memory should hold, in order: parts are sorted, kept in a file, and merged."""

from __future__ import annotations

import contextlib
import heapq
import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO

from evalplus_lite.store.writing import spooling

PART = 1 << 16
"""Records that are sorted in memory."""
PIECE = 1 << 14
"""Bytes of a part that are read at a time."""


class Sorter:
    """Byte strings of one length, iterated in sorted order any number of times.

        lines = Sorter(8)
        lines.add((2).to_bytes(8)), lines.add((1).to_bytes(8))
        list(lines)

    Memory holds ``PART`` of them; the rest is in an unnamed file that disappears
    with this object. Nothing may be added during an iteration. Raises InputError, naming
    the folder, if there is no room.
    """

    def __init__(self, size: int) -> None:
        """Take records of ``size`` bytes each."""
        self._size = size
        self._records: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._parts: list[tuple[int, int]] = []

    def add(self, record: bytes) -> None:
        """Take a record."""
        self._records.append(record)
        if len(self._records) == PART:
            self._keep()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the records in order, equal ones as often as they were taken."""
        self._records.sort()
        if not self._parts:
            return iter(self._records)
        parts = [self._part(start, end) for start, end in self._parts]
        return heapq.merge(*parts, self._records)

    def _keep(self) -> None:
        """Write the records as a part."""
        self._records.sort()
        with spooling("what is sorted"):
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="evalplus_lite_")  # noqa: SIM115
                weakref.finalize(self, _close, self._file)
            start = self._parts[-1][1] if self._parts else 0
            self._file.write(b"".join(self._records))
            self._file.flush()
        self._parts.append((start, start + len(self._records) * self._size))
        self._records.clear()

    def _part(self, start: int, end: int) -> Iterator[bytes]:
        assert self._file is not None
        step = PIECE // self._size * self._size or self._size
        for place in range(start, end, step):
            data = os.pread(self._file.fileno(), min(step, end - place), place)
            yield from (data[at : at + self._size] for at in range(0, len(data), self._size))


def _close(file: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # bytes that could not be written are retried once
        file.close()
