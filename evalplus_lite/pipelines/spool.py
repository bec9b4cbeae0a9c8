"""Samples read and extracted once, to be gone through several times, and not held in memory."""

from __future__ import annotations

import contextlib
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator

from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import packed, split
from evalplus_lite.store.writing import spooling
from evalplus_lite.types import Sample

CHUNK = 1 << 18


class Spool:
    """Samples in a nameless file: it is gone when this is closed, or the process ends.

    A context manager. Any number of iterations at a time.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        """Read all samples; InputError, naming the folder, if there is no room for them."""
        with spooling("samples"):
            file = tempfile.TemporaryFile(prefix="evalplus_lite_")  # noqa: SIM115 - held till closed
        self._file = file
        self._ends = array("Q", [0])
        try:
            for sample in samples:
                line = packed(_row(sample))
                self._ends.append(self._ends[-1] + len(line))
                with spooling("samples"):
                    self._file.write(line)
            with spooling("samples"):
                self._file.flush()
        except BaseException:
            with contextlib.suppress(OSError):  # what could not be written is tried once more
                self._file.close()
            raise

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples in their order."""
        place, rest = 0, b""
        while part := os.pread(self._file.fileno(), CHUNK, place):
            place += len(part)
            rows, rest = split(rest + part)
            for row in rows:
                yield Sample(*row)

    def read(self, place: int) -> Sample:
        """Return a sample by its place, from 0."""
        start, end = self._ends[place], self._ends[place + 1]
        (row,), _ = split(os.pread(self._file.fileno(), end - start, start))
        return Sample(*row)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _row(sample: Sample) -> Row:
    return sample.task_id, sample.source, sample.model, sample.index, sample.temperature
