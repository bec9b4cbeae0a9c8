"""Samples read and extracted once, to be gone through several times, and not held in memory."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator

from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import HEAD, packed, unpacked
from evalplus_lite.store.writing import spooling
from evalplus_lite.types import Sample

CHUNK = 1 << 18
SHORT = 1 << 12
"""Bytes that are read of a sample at once: most have fewer."""


class Spool:
    """Samples in a nameless file: it is gone when this is closed, or the process ends.

    A context manager. Any number of iterations at a time.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        """Read all samples; InputError, naming the folder, if there is no room for them."""
        with spooling("samples"):
            file = tempfile.TemporaryFile(prefix="evalplus_lite_")  # noqa: SIM115 - held till closed
        self._file = file
        self._count = 0
        try:
            for sample in samples:
                self._count += 1
                with spooling("samples"):
                    self._file.write(packed(_row(sample)))
            with spooling("samples"):
                self._file.flush()
        except BaseException:
            with contextlib.suppress(OSError):  # what could not be written is tried once more
                self._file.close()
            raise

    def __len__(self) -> int:
        """Return how many samples there are."""
        return self._count

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples in their order."""
        return (Sample(*unpacked(body)) for _, body in self._bodies())

    def places(self) -> Iterator[tuple[int, Sample]]:
        """Yield the samples in their order, each with where it begins: rising whole numbers."""
        return ((place, Sample(*unpacked(body))) for place, body in self._bodies())

    def read(self, place: int) -> Sample:
        """Return the sample that begins at one of the ``places``."""
        data = os.pread(self._file.fileno(), SHORT, place)
        (size,) = HEAD.unpack_from(data)
        if len(data) < HEAD.size + size:
            data = os.pread(self._file.fileno(), HEAD.size + size, place)
        return Sample(*unpacked(data[HEAD.size : HEAD.size + size]))

    def _bodies(self) -> Iterator[tuple[int, bytes]]:
        start, rest = 0, b""
        while part := os.pread(self._file.fileno(), CHUNK, start + len(rest)):
            data, at = rest + part, 0
            while at + HEAD.size <= len(data):
                (size,) = HEAD.unpack_from(data, at)
                end = at + HEAD.size + size
                if end > len(data):
                    break
                yield start + at, data[at + HEAD.size : end]
                at = end
            start, rest = start + at, data[at:]

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _row(sample: Sample) -> Row:
    return sample.task_id, sample.source, sample.model, sample.index, sample.temperature
