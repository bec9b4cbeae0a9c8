"""Equal programs together, over a whole set of samples: each is run once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from evalplus_lite.execution.base import Row
from evalplus_lite.pipelines.spool import Spool
from evalplus_lite.programs import fingerprints, text_name
from evalplus_lite.types import Sample

LONGEST = 1 << 14
"""Characters of a program that is compared with others; longer ones hardly ever repeat."""
MOST_TOGETHER = 32
"""Programs that are looked into at a time."""
CHUNK, CHUNK_SAMPLES, CHUNK_CHARACTERS = 8, 64, 1 << 20
"""Programs, samples and characters that a worker is dealt at a time: whichever is reached first."""


class Groups:
    """Spooled samples in the order of their tasks, and in it by program, each where it came first.

    Memory holds a few numbers a sample. The order depends on the samples alone.
    """

    def __init__(self, programs: Spool) -> None:
        self._programs = programs
        tasks: dict[str, int] = {}
        numbers: dict[tuple[int, str], int] = {}
        self._group, task_of = array("Q"), array("Q")
        for sample, name in named(programs):
            task = tasks.setdefault(sample.task_id, len(tasks))
            task_of.append(task)
            self._group.append(numbers.setdefault((task, name), len(numbers)))
        self._order = array("Q", sorted(
            range(len(task_of)), key=lambda place: (task_of[place], self._group[place])
        ))  # fmt: skip

    def __iter__(self) -> Iterator[list[Sample]]:
        """Yield samples of equal programs together: all, or as many as a worker is dealt."""
        for _, places in groupby(self._order, key=self._group.__getitem__):
            yield from _batches(map(self._programs.read, places), CHUNK_SAMPLES)

    def chunks(self, done: Callable[[Sample], bool]) -> Iterator[tuple[str, list[list[Sample]]]]:
        """Yield task ids with groups that a worker is dealt, without the samples that are done."""
        for task_id, groups in groupby(self, key=lambda group: group[0].task_id):
            left = ([sample for sample in group if not done(sample)] for group in groups)
            yield from ((task_id, chunk) for chunk in _dealt(group for group in left if group))


def named(samples: Iterable[Sample]) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with the name that only equal programs share."""
    for some in _batches(samples, MOST_TOGETHER):
        yield from zip(some, _names(some), strict=True)


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


def _names(samples: Sequence[Sample]) -> Iterator[str]:
    short = [sample.source for sample in samples if len(sample.source) <= LONGEST]
    found = dict(zip(short, fingerprints(short), strict=True)) if short else {}
    for sample in samples:
        yield found.get(sample.source) or text_name(sample.source)


def _batches(samples: Iterable[Sample], most: int) -> Iterator[list[Sample]]:
    """Yield so many samples at a time, or fewer if they are long."""
    batch, characters = list[Sample](), 0
    for sample in samples:
        batch.append(sample)
        characters += len(sample.source)
        if len(batch) >= most or characters >= CHUNK_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
