"""Samples as jobs take them: of files, or of the caller's own making."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.jobs.datasets import unknown_task
from evalplus_lite.jobs.session import Session
from evalplus_lite.programs.extraction import Extraction, Step, extract
from evalplus_lite.store.labels import labels
from evalplus_lite.store.locations import Place, place_of
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import Faults, Response, Source
from evalplus_lite.tasks.samples import read_samples as read_file
from evalplus_lite.types import Sample, Task

BATCH, BATCH_CHARACTERS = 32, 1 << 18
"""The maximum number of answers that are inspected together, and of their characters."""
AnyPath: TypeAlias = str | os.PathLike[str]
Samples: TypeAlias = AnyPath | Sequence[AnyPath] | Iterable[Sample] | Iterable[Mapping[str, Any]]
"""A file or folder of answers by path or URL, several, samples, or rows as files have them."""


def read_samples(path: AnyPath, dataset: Dataset, *, extract: bool = True) -> Iterator[Sample]:
    """Yield the programs of a file of answers for the tasks of a dataset, in the file's order.

        for sample in read_samples("samples.jsonl", tasks):
            print(sample.task_id, sample.index, sample.model, len(sample.source))

    The file is JSONL of ``task_id`` and ``solution`` or ``completion`` (gzip or zstd, too), Parquet
    or Arrow with such columns, a folder of these or of programs, or a ``generations.json``
    (docs/reference/formats.md), by path or URL. A program is taken out of each answer, from fences
    and prose; without ``extract`` answers are programs, unchanged. A row that is not an answer to
    a task is left out. Raises InputError, with file and line, for a file that cannot be read.
    """
    return iter(SampleStream(path, dataset, extract=extract))


class SampleStream:
    """The samples of a job, and the faults of unusable rows.

    Of several files each is a model, unless its rows name one, and samples are numbered across
    files within each task; with ``is_named`` a single file is a model, too. ``faults`` and
    ``steps`` (extraction steps by number of answers) cover the rows read so far. With a backend
    answers are inspected there.
    """

    def __init__(
        self,
        given: Samples,
        data: Dataset,
        *,
        extract: bool = True,
        strict: bool = False,
        is_named: bool = False,
        backend: Backend | None = None,
    ) -> None:
        self.files: list[Place] = []
        self.faults, self.steps = Faults(is_strict=strict), Counter[Step]()
        self._data, self._extract, self._backend = data, extract, backend
        self._given: Iterable[Sample | Mapping[str, Any]] = ()
        if isinstance(given, str | os.PathLike):
            self.files = [place_of(given)]
        elif isinstance(given, Sequence) and given and isinstance(given[0], str | os.PathLike):
            self.files = [place_of(cast("AnyPath", path)) for path in given]
        else:
            self._given = cast("Iterable[Sample | Mapping[str, Any]]", given)
        self._is_named = is_named or len(self.files) > 1

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples; rows that cannot be used are passed over, and counted."""
        return self._of_files() if self.files else self._of_given()

    def by_task(self, *, mixed: bool = False) -> dict[str, list[str]]:
        """Return the programs of every task, in their order.

        If they are to be ``mixed``, the first of each model come before the second of any: where
        only some vote, several models are represented.
        """
        programs: dict[str, dict[str, list[str]]] = {id: {} for id in self._data.ids}
        for sample in self:
            model = sample.model if mixed else ""
            programs[sample.task_id].setdefault(model, []).append(sample.source)
        return {
            id: [
                source
                for some in itertools.zip_longest(*models.values())
                for source in some
                if source is not None
            ]
            for id, models in programs.items()
        }

    def tell(self, session: Session) -> None:
        """Report the rows that could not be used."""
        for line in self.faults.notes():
            session.note(line)

    def _of_given(self) -> Iterator[Sample]:
        """Yield the samples of an iterable: of ``Sample``s, or, by its first, of rows."""
        items = iter(self._given)
        # The first one says what they are; looking at it must not lose it.
        for first in items:
            rest = itertools.chain([first], items)
            if isinstance(first, Mapping):
                yield from self._read(cast("Iterable[Mapping[str, Any]]", rest))
            else:
                yield from self._checked(rest)

    # Samples of tasks that were not selected are counted, not refused: files cover whole data sets.
    def _checked(self, samples: Iterable[object]) -> Iterator[Sample]:
        chosen, whole = set(self._data.ids), set(self._data.all_ids)
        for sample in samples:
            if not isinstance(sample, Sample):
                raise InputError(
                    f"a sample is a {type(sample).__name__}",
                    remedy="give Sample(task_id, source), or rows with a task_id and a solution",
                )
            if sample.task_id in chosen:
                yield sample
            elif sample.task_id in whole:
                self.faults.aside[sample.task_id] += 1
            else:
                raise unknown_task(sample.task_id, self._data)

    def _extracted(self, responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
        """Yield the programs of responses, which the backend finds many at a time."""
        assert self._backend is not None
        call = Call("evalplus_lite.jobs.samples:extracting")
        for rows in self._backend.map(call, _batches(responses)):
            yield from (Extraction(source, steps) for source, steps in rows)

    def _of_files(self) -> Iterator[Sample]:
        offsets: Counter[str] = Counter()
        for path, name in zip(self.files, labels(self.files), strict=True):
            # A second file numbers its samples of a task after those of the first.
            highest: Counter[str] = Counter()
            for sample in self._read(path):
                highest[sample.task_id] = max(highest[sample.task_id], sample.index + 1)
                yield replace(
                    sample,
                    index=offsets[sample.task_id] + sample.index,
                    model=sample.model or (name if self._is_named else ""),
                )
            offsets.update(highest)

    def _read(self, source: Source) -> Iterator[Sample]:
        return read_file(
            source,
            self._data,
            extraction="clean" if self._extract else "none",
            steps=self.steps,
            faults=self.faults,
            extractor=None if self._backend is None else self._extracted,
        )


def _batches(responses: Iterable[tuple[Response, Task]]) -> Iterator[Row]:
    # Bounded by characters as well: one worker has all answers of a batch in memory.
    batch, size = list[Row](), 0
    for each, task in responses:
        batch.append((each.text, each.kind, task.prompt, task.entry_point, task.style))
        size += len(each.text)
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


# Work of a supervisor: programs out of responses, many at a time.


def extracting(place: WorkerContext, _: Row) -> Work:
    """Return the (program, steps) of several (text, kind, prompt, entry point, style)."""
    del place  # a helper process inspects them; nothing is run

    def work(item: Row) -> Row:
        rows = []
        for text, kind, prompt, entry_point, style in item:
            task = Task("", prompt, entry_point, "", style=style)
            extraction = extract(text, task, kind=kind)
            rows.append((extraction.source, extraction.steps))
        return rows

    return work
