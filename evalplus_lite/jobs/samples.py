"""Samples as jobs take them: read from files or given, and kept in a table on disk."""

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
from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.execution.channel import body, unpacked
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.jobs.datasets import unknown_task
from evalplus_lite.jobs.outputs import is_result
from evalplus_lite.jobs.session import Session
from evalplus_lite.programs import fingerprints, program_hash, text_name
from evalplus_lite.programs.extraction import Extraction, Step, extract
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store.journal import Rows, finished
from evalplus_lite.store.labels import labels
from evalplus_lite.store.locations import Place, place_of
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import Faults, Indices, Response, Source
from evalplus_lite.tasks.samples import read_samples as read_file
from evalplus_lite.types import Sample, Task, clip

Item = TypeVar("Item")
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
    ``steps`` (number of answers by extraction step) cover the rows read so far. With a backend
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

    def by_task(self) -> dict[str, list[str]]:
        """Return the programs of every task, the first of each model before the second of any."""
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

    def _checked(self, samples: Iterable[object]) -> Iterator[Sample]:
        # Samples of tasks that were not selected are counted, not refused: files cover whole sets.
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
        """Yield the programs of responses, found many at a time."""
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
            # A second file numbers its samples of a task after those of the first.
            highest: Counter[str] = Counter()
            for sample in self._read(path):
                highest[sample.task_id] = max(highest[sample.task_id], sample.index + 1)
                yield replace(
                    sample,
                    index=offsets[sample.task_id] + sample.index,
                    model=sample.model or (name if self._is_named else ""),
                )
            # ``update`` of a Counter adds: the next file continues where this one ends.
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


# Work of a supervisor, many texts at a time: a helper process inspects them, and nothing is run.


def inspecting(_: WorkerContext, name: Row) -> Work:
    """Return the work of that name: ``extracted_rows``, or ``names_of``."""
    return {"extracted_rows": extracted_rows, "names_of": names_of}[name]


def extracted_rows(asked: Row) -> Row:
    """Return (program, steps) for each (text, kind, prompt, entry point, style)."""
    extractions = (
        extract(text, Task("", prompt, entry_point, "", style=style), kind=kind)
        for text, kind, prompt, entry_point, style in asked
    )
    return [(each.source, each.steps) for each in extractions]


# Samples of a job in a temporary SQLite database: read again, resumed, and equal ones together.

LONGEST = 1 << 14
"""Characters of a program that is compared with others; longer ones hardly ever repeat."""
SOURCE = attrgetter("source")
MOST_TOGETHER = 32
"""Programs that are looked into at a time."""
CHUNK, CHUNK_SAMPLES, CHUNK_CHARACTERS = 8, 64, 1 << 20
"""Programs, samples and characters that a worker is dealt at a time: whichever is reached first."""
CHUNKS_LEFT = 4
"""At least so many chunks a worker are made of the samples that are left."""
NAME_BYTES = 12
"""Of a digest that a sample shares with its result row."""
SCHEMA = """
create table samples (number integer primary key, name blob, program blob, body blob);
create table results (line integer primary key, name blob);
create table equals (number integer primary key, task integer, program blob);
"""
DONE = "select number from samples where name in (select name from results)"
# Groups are ordered by first occurrence over all samples, resumed ones too, so that a resumed run
# continues in the order of the first.
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
"""The first line that repeats a name, and the first whose name no sample has, with the message."""
DISTINCT = """
select program, body from samples
where number in (select min(number) from samples group by program) order by number
"""


class SampleTable:
    """Samples on disk, numbered from 0 in their order; deleted when this is closed.

    A context manager. Any number of iterations at a time, in any thread; memory does not grow with
    the samples.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        """Read all samples; InputError, naming the folder, if there is no room for them."""
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

    def distinct(self) -> Iterator[tuple[str, str]]:
        """Yield each distinct program's name in results and its text, by first occurrence."""
        for program, data in self._base.execute(DISTINCT):
            yield program.hex(), unpacked(data)[1]

    def resume(self, journal: Rows, take: Callable[[Mapping[str, Any]], None]) -> int:
        """Return how many samples have a row in the journal; ``take`` is called with each row.

        ``chunks`` leaves those samples out. Raises InputError, naming the line, for a malformed
        row, and for one of none of these samples, which would be counted too.
        """

        def name_of(row: FileRow) -> bytes:
            if not is_result(row.data):
                raise ValueError("its verdicts or names are not those of evaluate")
            data = row.data
            # Counted before the search for faults: any fault ends the job, counts and all.
            take(data)
            facts = data.get("model", ""), data.get("temperature")
            return _digest(data["task_id"], data["index"], data["program"], *facts)

        # Names of results are joined with names of samples: neither side is held in memory.
        rows = enumerate(finished(journal, name_of))
        with filling("samples"):
            self._base.executemany("insert into results values (?, ?)", rows)
        # The first line that is wrong is named: a result twice, or of a program that is not there.
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
        backend: Backend | None = None,
        apart: Container[str] = (),
    ) -> int:
        """Find equal programs for ``groups`` and ``chunks``; return how many samples they yield.

        Samples of other tasks than ``only`` are skipped. Those of the tasks ``apart`` are equal
        only if their texts are: unit tests run among a program's names, so that they can reach the
        program's imports. With a ``backend`` its workers compare programs, without one a helper
        process does. Call it once.
        """
        tasks: dict[str, int] = {}
        numbers = deque[int]()

        def samples() -> Iterator[Sample]:
            for number, sample in enumerate(self):
                if only is None or sample.task_id in only:
                    numbers.append(number)
                    yield sample

        # ``named`` reads ahead of what it yields: numbers wait in a queue meanwhile.
        def rows() -> Iterator[tuple[int, int, bytes]]:
            for sample, name in named(samples(), backend):
                task = tasks.setdefault(sample.task_id, len(tasks))
                program = text_name(sample.source) if sample.task_id in apart else name
                yield numbers.popleft(), task, bytes.fromhex(program)

        with filling("samples"):
            self._base.executemany("insert into equals values (?, ?, ?)", rows())
        return int(self._count("select count(*) from equals"))

    def groups(self) -> Iterator[list[Sample]]:
        """Yield samples of equal programs together: all, or as many as a worker is dealt.

        Ordered by task, then by program, each at its first occurrence: the order depends on the
        samples alone. Those that ``resume`` found are left out.
        """
        with filling("samples"):
            rows = self._base.execute(GROUPED)
        for _, alike in groupby(rows, key=itemgetter(1, 2)):
            yield from _batched((self.read(number) for number, *_ in alike), SOURCE, CHUNK_SAMPLES)

    def chunks(self, workers: int = 1) -> Iterator[tuple[str, list[list[Sample]]]]:
        """Yield task ids with groups that one of the workers is dealt: towards the end fewer."""
        left = self._count(f"select count(*) from equals where number not in ({DONE})")
        # A chunk is for one task, so that its worker needs a single suite.
        for task_id, groups in groupby(self.groups(), key=lambda group: group[0].task_id):
            chunk, samples, characters = list[list[Sample]](), 0, 0
            for group in groups:
                # One that is dealt eight slow programs last would keep all others waiting.
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
    # The name joins a sample with its row, across runs: it holds all that tells samples apart.
    program = program_hash(each.source)
    name = _digest(each.task_id, each.index, program, each.model, each.temperature)
    return number, name, bytes.fromhex(program), body(to_row(each))


def samples_digest(programs: Iterable[Sample]) -> str:
    """Return a short name of samples in their order."""
    digest = hashlib.sha256()
    for sample in enumerate(programs):
        digest.update(_columns(sample)[1])
    return digest.hexdigest()[:32]


def _digest(*facts: object) -> bytes:
    text = "\0".join(map(str, facts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def named(
    samples: Iterable[Sample], backend: Backend | None = None
) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with the name that only equal programs share."""
    sent = deque[list[Sample]]()

    def dealt() -> Iterator[list[str]]:
        for some in _batched(samples, SOURCE, MOST_TOGETHER):
            sent.append(some)
            yield [sample.source for sample in some]

    for names in _worked(names_of, dealt(), backend):
        yield from zip(sent.popleft(), names, strict=True)


def group_row(group: Sequence[Sample]) -> Row:
    """Return equal programs as (text, members): (index, its own text, model, temperature) each."""
    source = group[0].source
    return source, [
        (each.index, None if each.source == source else each.source, each.model, each.temperature)
        for each in group
    ]


def names_of(sources: Sequence[str]) -> list[str]:
    """Return a name for each program that only equal ones share."""
    short = [source for source in sources if len(source) <= LONGEST]
    # Long programs are named by their text: compiling them costs more than running one twice.
    names = dict(zip(short, fingerprints(short), strict=True)) if short else {}
    return [names.get(source) or text_name(source) for source in sources]


def _worked(
    work: Callable[[Row], Row], batches: Iterable[Row], backend: Backend | None
) -> Iterator[Row]:
    """Yield the result of work of ``inspecting`` for each batch.

    A single batch is not worth starting a helper beside a worker: the one of this process takes it.
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
    """Yield at most ``most`` items at a time, or fewer if their texts are long."""
    batch, characters = list[Item](), 0
    for item in items:
        batch.append(item)
        characters += len(text_of(item))
        if len(batch) >= most or characters >= most_characters:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
