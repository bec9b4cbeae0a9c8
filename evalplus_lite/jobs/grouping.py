"""Equal programs together, over a whole set of samples: each is run once."""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import groupby

from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.execution.channel import HEAD, packed, unpacked
from evalplus_lite.programs import fingerprints, text_name
from evalplus_lite.store.sorting import Sorter
from evalplus_lite.store.writing import spooling
from evalplus_lite.types import Sample

# Samples read and extracted once, to be gone through several times, and not held in memory.

READ_CHUNK = 1 << 18
SHORT = 1 << 12
"""Bytes that are read of a sample at once: most have fewer."""


class SampleSpool:
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
            with contextlib.suppress(OSError):  # bytes that could not be written are retried once
                self._file.close()
            raise

    def __len__(self) -> int:
        """Return how many samples there are."""
        return self._count

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples in their order."""
        return (Sample(*unpacked(body)) for _, body in self._bodies())

    def places(self) -> Iterator[tuple[int, Sample]]:
        """Yield the samples in order, each with its position: rising whole numbers."""
        return ((place, Sample(*unpacked(body))) for place, body in self._bodies())

    def read(self, place: int) -> Sample:
        """Return the sample at one of the ``places``."""
        data = os.pread(self._file.fileno(), SHORT, place)
        (size,) = HEAD.unpack_from(data)
        if len(data) < HEAD.size + size:
            data = os.pread(self._file.fileno(), HEAD.size + size, place)
        return Sample(*unpacked(data[HEAD.size : HEAD.size + size]))

    def _bodies(self) -> Iterator[tuple[int, bytes]]:
        start, rest = 0, b""
        while part := os.pread(self._file.fileno(), READ_CHUNK, start + len(rest)):
            data, at = rest + part, 0
            while at + HEAD.size <= len(data):
                (size,) = HEAD.unpack_from(data, at)
                end = at + HEAD.size + size
                if end > len(data):
                    break
                yield start + at, data[at + HEAD.size : end]
                at = end
            start, rest = start + at, data[at:]

    def __enter__(self) -> SampleSpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _row(sample: Sample) -> Row:
    return sample.task_id, sample.source, sample.model, sample.index, sample.temperature


LONGEST = 1 << 14
"""Characters of a program that is compared with others; longer ones hardly ever repeat."""
MOST_TOGETHER = 32
"""Programs that are looked into at a time."""
CHUNK, CHUNK_SAMPLES, CHUNK_CHARACTERS = 8, 64, 1 << 20
"""Programs, samples and characters that a worker is dealt at a time: whichever is reached first."""


NAMED = struct.Struct(">I16sQQ")
"""For a sample: its task's number, a digest of its program's name, its own number, its place."""
ORDERED = struct.Struct(">IQQQ")
"""For a sample: its task's number, that of the first with its program, its own, its place."""


class Groups:
    """Spooled samples ordered by task, then by program, each at its first occurrence.

    Memory does not grow with the samples. The order depends on them alone.
    """

    def __init__(
        self,
        programs: SampleSpool,
        *,
        only: Container[str] | None = None,
        backend: Backend | None = None,
        apart: Container[str] = (),
    ) -> None:
        """Order the samples; those of other tasks than ``only`` are skipped.

        Samples of the tasks ``apart`` are equal only if their texts are: unit tests run among a
        program's names, so that they can reach the program's imports.

        With a ``backend`` its workers compare programs, without one a helper process does.
        """
        self.programs, self._count = programs, 0
        tasks: dict[str, int] = {}
        alike, self._order = Sorter(NAMED.size), Sorter(ORDERED.size)
        chosen = deque[tuple[int, int]]()

        def samples() -> Iterator[Sample]:
            for number, (place, sample) in enumerate(programs.places()):
                if only is None or sample.task_id in only:
                    chosen.append((number, place))
                    yield sample

        for sample, name in named(samples(), backend):
            number, place = chosen.popleft()
            self._count += 1
            task = tasks.setdefault(sample.task_id, len(tasks))
            if sample.task_id in apart:
                name = text_name(sample.source)
            alike.add(NAMED.pack(task, bytes.fromhex(name), number, place))
        program, first = None, 0
        for task, digest, number, place in map(NAMED.unpack, alike):
            if (task, digest) != program:
                program, first = (task, digest), number
            self._order.add(ORDERED.pack(task, first, number, place))

    def __len__(self) -> int:
        """Return how many samples there are."""
        return self._count

    def __iter__(self) -> Iterator[list[Sample]]:
        """Yield samples of equal programs together: all, or as many as a worker is dealt."""
        return self._without(lambda _: False)

    def chunks(self, done: Callable[[int], bool]) -> Iterator[tuple[str, list[list[Sample]]]]:
        """Yield task ids with groups that a worker is dealt.

        Samples are left out that are ``done``, by their number, from 0.
        """
        left = self._without(done)
        for task_id, groups in groupby(left, key=lambda group: group[0].task_id):
            yield from ((task_id, chunk) for chunk in _dealt(groups))

    def _without(self, done: Callable[[int], bool]) -> Iterator[list[Sample]]:
        order = map(ORDERED.unpack, self._order)
        for _, alike in groupby(order, key=lambda found: found[:2]):
            left = (place for _, _, number, place in alike if not done(number))
            yield from _batches(map(self.programs.read, left), CHUNK_SAMPLES)


def named(
    samples: Iterable[Sample], backend: Backend | None = None
) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with the name that only equal programs share."""
    sent = deque[list[Sample]]()

    def dealt() -> Iterator[list[str]]:
        for some in _batches(samples, MOST_TOGETHER):
            sent.append(some)
            yield [sample.source for sample in some]

    call = Call("evalplus_lite.jobs.grouping:naming")
    for names in map(names_of, dealt()) if backend is None else backend.map(call, dealt()):
        yield from zip(sent.popleft(), names, strict=True)


def to_row(group: Sequence[Sample]) -> Row:
    """Return equal programs as (text, members); a member is (index, its text if it is another,
    model, temperature).
    """
    source = group[0].source
    return source, [
        (each.index, None if each.source == source else each.source, each.model, each.temperature)
        for each in group
    ]


def _dealt(groups: Iterable[list[Sample]]) -> Iterator[list[list[Sample]]]:
    chunk, samples, characters = list[list[Sample]](), 0, 0
    for group in groups:
        chunk.append(group)
        samples += len(group)
        characters += sum(len(sample.source) for sample in group)
        if len(chunk) >= CHUNK or samples >= CHUNK_SAMPLES or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, samples, characters = [], 0, 0
    if chunk:
        yield chunk


def names_of(sources: Sequence[str]) -> list[str]:
    """Return a name for each program that only equal ones share."""
    short = [source for source in sources if len(source) <= LONGEST]
    names = dict(zip(short, fingerprints(short), strict=True)) if short else {}
    return [names.get(source) or text_name(source) for source in sources]


def _batches(samples: Iterable[Sample], most: int) -> Iterator[list[Sample]]:
    """Yield at most ``most`` samples at a time, or fewer if they are long."""
    batch, characters = list[Sample](), 0
    for sample in samples:
        batch.append(sample)
        characters += len(sample.source)
        if len(batch) >= most or characters >= CHUNK_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


# Names of programs that only equal ones share, many at a time.


def naming(place: WorkerContext, _: Row) -> Work:
    """Return the names of several programs' texts."""
    del place  # a helper process compiles them; nothing is run
    return names_of
