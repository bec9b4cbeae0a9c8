"""Samples for jobs: read from files or passed as objects, and stored in a table on disk."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias, TypeVar, cast

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.execution.channel import body, unpacked
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.jobs.datasets import unknown_task
from evalplus_lite.jobs.outputs import is_result
from evalplus_lite.jobs.session import Session
from evalplus_lite.programs import fingerprints, program_hash, text_name
from evalplus_lite.programs.extraction import Extraction, Step, extract
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store.journal import Rows, finished
from evalplus_lite.store.labels import labels
from evalplus_lite.store.locations import place_of
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import Faults, Indices, Response, Source
from evalplus_lite.tasks.samples import read_samples as read_file
from evalplus_lite.types import Sample, Task, clip

Item = TypeVar("Item")
BATCH, BATCH_CHARACTERS = 32, 1 << 18
"""Maximum number of answers inspected together, and of their characters."""
AnyPath: TypeAlias = str | os.PathLike[str]
Samples: TypeAlias = AnyPath | Sequence[AnyPath] | Iterable[Sample] | Iterable[Mapping[str, Any]]
"""A file or folder of answers by path or URL, several of them, samples, or rows as in files."""


def read_samples(path: AnyPath, dataset: Dataset, *, extract: bool = True) -> Iterator[Sample]:
    """Yield the programs of a file of answers for the tasks of a dataset, in the file's order.

        for sample in read_samples("samples.jsonl", tasks):
            print(sample.task_id, sample.index, sample.model, len(sample.source))

    The file is JSONL of ``task_id`` and ``solution`` or ``completion`` (gzip or zstd, too), Parquet
    or Arrow with such columns, a folder of these or of programs, or a ``generations.json``
    (docs/reference/formats.md), by path or URL. A program is extracted from each answer, from
    fences and prose; without ``extract``, answers are used unchanged. A row that does not answer a
    task is left out. Raises InputError, with file and line, for a file that cannot be read.
    """
    return iter(SampleStream(path, dataset, extract=extract))


class SampleStream:
    """The samples of a job, and the problems of unusable rows.

    If there are several files, each is a model unless its rows name one, and samples are numbered
    across files within each task; with ``is_named`` a single file is a model, too. ``faults`` and
    ``steps`` (number of answers by extraction step) cover the rows read so far. With a backend,
    its workers inspect answers.
    """

    def __init__(
        self,
        samples: Samples,
        data: Dataset,
        *,
        extract: bool = True,
        strict: bool = False,
        is_named: bool = False,
        backend: Processes | None = None,
    ) -> None:
        self.faults, self.steps = Faults(is_strict=strict), Counter[Step]()
        self._data, self._extract, self._backend = data, extract, backend
        several = [samples] if isinstance(samples, str | os.PathLike) else samples
        first = next(iter(several), None) if isinstance(several, Sequence) else None
        are_paths = isinstance(first, str | os.PathLike)
        self.files = [place_of(cast("AnyPath", path)) for path in several] if are_paths else []
        self._rows = cast("Iterable[Sample | Mapping[str, Any]]", () if are_paths else samples)
        self._is_named = is_named or len(self.files) > 1

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples; unusable rows are skipped and counted."""
        return self._of_files() if self.files else self._of_given()

    def by_task(self) -> dict[str, list[str]]:
        """Return the programs of each task, the first of every model before the second of any."""
        programs: dict[str, dict[str, list[str]]] = {id: {} for id in self._data.ids}
        for sample in self:
            programs[sample.task_id].setdefault(sample.model, []).append(sample.source)
        return {
            id: [
                source
                for sources in itertools.zip_longest(*models.values())
                for source in sources
                if source is not None
            ]
            for id, models in programs.items()
        }

    def tell(self, session: Session) -> None:
        """Report unusable rows."""
        for line in self.faults.notes():
            session.note(line)

    def _of_given(self) -> Iterator[Sample]:
        """Yield the samples in an iterable of ``Sample``s or rows; its first item decides which."""
        items = iter(self._rows)
        # Look at the first item without losing it.
        for first in items:
            rest = itertools.chain([first], items)
            if isinstance(first, Mapping):
                yield from self._read(cast("Iterable[Mapping[str, Any]]", rest))
            else:
                yield from self._checked(rest)

    def _checked(self, samples: Iterable[object]) -> Iterator[Sample]:
        # Samples of unselected tasks are counted, not rejected, because files cover whole sets.
        chosen, whole = set(self._data.ids), set(self._data.all_ids)
        indices = Indices()
        for sample in samples:
            if not isinstance(sample, Sample):
                raise InputError(
                    f"a sample is a {type(sample).__name__}",
                    remedy="give Sample(task_id, source), or rows with a task_id and a solution",
                )
            if sample.task_id in chosen:
                # Without an index each is number 0, and rows of results are known by numbers.
                of = sample.task_id, sample.model, sample.temperature
                if not indices.take(of, sample.index):
                    sample = replace(sample, index=indices.free(of))
                    indices.take(of, sample.index)
                yield sample
            elif sample.task_id in whole:
                self.faults.aside[sample.task_id] += 1
            else:
                raise unknown_task(sample.task_id, self._data)

    def _extracted(self, responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
        """Yield the programs in responses, extracted in batches."""
        asked = (
            (each.text, each.kind, task.prompt, task.entry_point, task.style)
            for each, task in responses
        )
        batches = _batched(asked, itemgetter(0), BATCH, BATCH_CHARACTERS)
        for rows in _worked(extracted_rows, batches, self._backend):
            yield from (Extraction(source, steps) for source, steps in rows)

    def _of_files(self) -> Iterator[Sample]:
        offsets: Counter[str] = Counter()
        for path, name in zip(self.files, labels(self.files), strict=True):
            # A second file's samples of a task are numbered after the first file's.
            highest: Counter[str] = Counter()
            for sample in self._read(path):
                highest[sample.task_id] = max(highest[sample.task_id], sample.index + 1)
                yield replace(
                    sample,
                    index=offsets[sample.task_id] + sample.index,
                    model=sample.model or (name if self._is_named else ""),
                )
            # ``Counter.update`` adds, so the next file continues where this one ends.
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


# Work of a supervisor on batches of texts, which a helper process parses without running them.


def inspecting(_: WorkerContext, name: Row) -> Work:
    """Return the function of that name: ``extracted_rows`` or ``names_of``."""
    return {"extracted_rows": extracted_rows, "names_of": names_of}[name]


def extracted_rows(asked: Row) -> Row:
    """Return (program, extraction steps) for each (text, kind, prompt, entry point, style)."""
    extractions = (
        extract(text, Task("", prompt, entry_point, "", style=style), kind=kind)
        for text, kind, prompt, entry_point, style in asked
    )
    return [(each.source, each.steps) for each in extractions]


# Samples of a job in a temporary SQLite database, for rereading, resuming and grouping.

LONGEST = 1 << 14
"""Maximum length of a program to compare with others; longer ones rarely repeat."""
SOURCE = attrgetter("source")
MOST_TOGETHER = 32
"""Programs parsed at a time."""
CHUNK, CHUNK_SAMPLES, CHUNK_CHARACTERS = 8, 64, 1 << 20
"""Limits on the programs, samples and characters in one chunk, of which the first one counts."""
CHUNKS_LEFT = 4
"""Minimum number of chunks per worker into which the remaining samples are divided."""
NAME_BYTES = 12
"""Bytes of the digest that a sample shares with its result row."""
SCHEMA = """
create table samples (number integer primary key, name blob, program blob, body blob);
create table results (line integer primary key, name blob);
create table equals (number integer primary key, task integer, program blob);
"""
DONE = "select number from samples where name in (select name from results)"
# Groups are ordered by first occurrence in all samples, including resumed ones, so that a resumed
# run continues in the original order.
GROUPED = f"""
select number, task, first from (
    select number, task, min(number) over (partition by task, program) as first from equals
) where number not in ({DONE}) order by task, first, number
"""
FAULTY = (
    (
        "select min(line) from results"
        " where line not in (select min(line) from results group by name)",
        "holds the result of {} a second time",
        "remove that line, or use --force to judge all samples again",
    ),
    (
        "select min(line) from results where name not in (select name from samples)",
        "holds a result of another program for {} than the samples do",
        "the samples have changed: choose another --out",
    ),
)
"""Queries for the first line that repeats a name and for the first unknown name, with messages."""
DISTINCT = "select program, min(number) as first from samples group by program order by first"


class SampleTable:
    """Samples on disk, numbered from 0 in order; deleted on close.

    A context manager. It can be iterated any number of times at once, in any thread; memory does
    not grow with the samples.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        """Store all samples; raise InputError, naming the folder, if the disk is full."""
        self._base = scratch_database(SCHEMA)
        try:
            with filling("samples"):
                self._base.executemany(
                    "insert into samples values (?, ?, ?, ?)", map(_columns, enumerate(samples))
                )
        except BaseException:
            self._base.close()
            raise

    def __enter__(self) -> SampleTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def __len__(self) -> int:
        return int(self._count("select count(*) from samples"))

    def __iter__(self) -> Iterator[Sample]:
        rows = self._base.execute("select body from samples order by number")
        return (from_row(Sample, unpacked(data)) for (data,) in rows)

    def read(self, number: int) -> Sample:
        """Return one sample."""
        query = "select body from samples where number = ?"
        return from_row(Sample, unpacked(self._base.execute(query, (number,)).fetchone()[0]))

    def distinct(self) -> Iterator[tuple[str, int]]:
        """Yield each distinct program's name in results and first sample, in order."""
        return ((program.hex(), first) for program, first in self._base.execute(DISTINCT))

    def resume(self, journal: Rows, take: Callable[[Mapping[str, Any]], None]) -> int:
        """Return how many samples have a row in the journal, calling ``take`` with each row.

        ``chunks`` skips those samples. Raises InputError, naming the line, for a malformed row, and
        for a row of another sample, which would be counted, too.
        """

        def name_of(row: FileRow) -> bytes:
            if not is_result(row.data):
                raise ValueError("its verdicts or names are not those of evaluate")
            data = row.data
            # Counted before faults are searched, because any fault ends the job anyway.
            take(data)
            facts = data.get("model", ""), data.get("temperature")
            return _digest(data["task_id"], data["index"], data["program"], *facts)

        # Join the names of results and samples in the database, not in memory.
        rows = enumerate(finished(journal, name_of))
        with filling("samples"):
            self._base.executemany("insert into results values (?, ?)", rows)
        # Report the first bad line: a repeated result, or one of an unknown program.
        faults = [
            (line, *words) for query, *words in FAULTY if (line := self._count(query)) is not None
        ]
        if faults:
            number, problem, remedy = min(faults)
            row = next(islice(journal.rows(), number, None))
            name = f"{clip(row.data['task_id'])}[{row.data['index']}]"
            problem = problem.format(name)
            raise InputError(problem, path=journal.path, line=row.line, remedy=remedy)
        return int(self._count(f"select count(*) from ({DONE})"))

    def group(
        self,
        *,
        only: Container[str] | None = None,
        backend: Processes | None = None,
        apart: Container[str] = (),
    ) -> int:
        """Find equal programs for ``groups`` and ``chunks``; return how many samples they yield.

        Samples of tasks not in ``only`` are skipped. Those of the tasks ``apart`` are equal only if
        their texts are, because unit tests run in a program's namespace and can reach its imports.
        Programs are compared by the workers of ``backend``, or without one by a helper process.
        Call it once.
        """
        tasks: dict[str, int] = {}
        numbers = deque[int]()

        def samples() -> Iterator[Sample]:
            for number, sample in enumerate(self):
                if only is None or sample.task_id in only:
                    numbers.append(number)
                    yield sample

        # ``named`` reads ahead of its output, so numbers wait in a queue.
        def rows() -> Iterator[tuple[int, int, bytes]]:
            for sample, name in named(samples(), backend):
                task = tasks.setdefault(sample.task_id, len(tasks))
                program = text_name(sample.source) if sample.task_id in apart else name
                yield numbers.popleft(), task, bytes.fromhex(program)

        with filling("samples"):
            self._base.executemany("insert into equals values (?, ?, ?)", rows())
        return int(self._count("select count(*) from equals"))

    def groups(self) -> Iterator[list[Sample]]:
        """Yield groups of samples with equal programs, split at the size of a chunk.

        They are ordered by task, then by program, each by first occurrence, so the order depends
        only on the samples. Those that ``resume`` found are left out.
        """
        with filling("samples"):
            rows = self._base.execute(GROUPED)
        for _, alike in groupby(rows, key=itemgetter(1, 2)):
            yield from _batched((self.read(number) for number, *_ in alike), SOURCE, CHUNK_SAMPLES)

    def chunks(self, workers: int = 1) -> Iterator[tuple[str, list[list[Sample]]]]:
        """Yield chunks of work: a task id with groups, fewer towards the end."""
        left = self._count(f"select count(*) from equals where number not in ({DONE})")
        # A chunk is for one task, so that its worker needs a single suite.
        for task_id, groups in groupby(self.groups(), key=lambda group: group[0].task_id):
            chunk, samples, characters = list[list[Sample]](), 0, 0
            for group in groups:
                # A worker that gets eight slow programs last would keep all others waiting.
                if (
                    len(chunk) >= min(CHUNK, max(1, left // (CHUNKS_LEFT * workers)))
                    or samples >= CHUNK_SAMPLES
                    or characters >= CHUNK_CHARACTERS
                ):
                    yield task_id, chunk
                    chunk, samples, characters = [], 0, 0
                chunk.append(group)
                left -= len(group)
                samples += len(group)
                characters += sum(len(sample.source) for sample in group)
            yield task_id, chunk

    def _count(self, query: str) -> Any:
        return self._base.execute(query).fetchone()[0]


def _columns(numbered: tuple[int, Sample]) -> tuple[int, bytes, bytes, bytes]:
    number, each = numbered
    # The name links a sample to its row across runs, so it covers everything that identifies it.
    program = program_hash(each.source)
    name = _digest(each.task_id, each.index, program, each.model, each.temperature)
    return number, name, bytes.fromhex(program), body(to_row(each))


def samples_digest(programs: Iterable[Sample]) -> str:
    """Return a short hash of samples in order."""
    digest = hashlib.sha256()
    for sample in enumerate(programs):
        digest.update(_columns(sample)[1])
    return digest.hexdigest()[:32]


def _digest(*facts: object) -> bytes:
    text = "\0".join(map(str, facts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def named(
    samples: Iterable[Sample], backend: Processes | None = None
) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with a name that only equal programs share."""
    sent = deque[list[Sample]]()

    def dealt() -> Iterator[list[str]]:
        for some in _batched(samples, SOURCE, MOST_TOGETHER):
            sent.append(some)
            yield [sample.source for sample in some]

    for names in _worked(names_of, dealt(), backend):
        yield from zip(sent.popleft(), names, strict=True)


def group_row(group: Sequence[Sample]) -> Row:
    """Return equal programs as (text, members): (index, own text, model, temperature) each."""
    source = group[0].source
    return source, [
        (each.index, None if each.source == source else each.source, each.model, each.temperature)
        for each in group
    ]


def names_of(sources: Sequence[str]) -> list[str]:
    """Return a name for each program, which only equal ones share."""
    short = [source for source in sources if len(source) <= LONGEST]
    # Long programs are named by their text, because compiling them costs more than a second run.
    names = dict(zip(short, fingerprints(short), strict=True)) if short else {}
    return [names.get(source) or text_name(source) for source in sources]


def _worked(
    work: Callable[[Row], Row], batches: Iterable[Row], backend: Processes | None
) -> Iterator[Row]:
    """Yield the result of a function of ``inspecting`` for each batch.

    A single batch goes to the helper of this process, to avoid starting one next to a worker.
    """
    batches = iter(batches)
    begun = list(islice(batches, 2))
    if backend is None or len(begun) < 2:
        return map(work, itertools.chain(begun, batches))
    call = Call(f"{__name__}:inspecting", work.__name__)
    return backend.map(call, itertools.chain(begun, batches))


def _batched(
    items: Iterable[Item],
    text_of: Callable[[Item], str],
    most: int,
    most_characters: int = CHUNK_CHARACTERS,
) -> Iterator[list[Item]]:
    """Yield batches of at most ``most`` items, fewer if their texts are long."""
    batch, characters = list[Item](), 0
    for item in items:
        batch.append(item)
        characters += len(text_of(item))
        if len(batch) >= most or characters >= most_characters:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
