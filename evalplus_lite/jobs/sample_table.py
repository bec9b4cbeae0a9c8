"""Samples of a job in a temporary SQLite database: read again, resumed, and equal ones together."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.execution.channel import body, unpacked
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.jobs.outputs import is_result
from evalplus_lite.programs import fingerprints, program_hash, text_name
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store.journal import Rows, finished
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.types import Sample, clip

LONGEST = 1 << 14
"""Characters of a program that is compared with others; longer ones hardly ever repeat."""
MOST_TOGETHER = 32
"""Programs that are looked into at a time."""
CHUNK, CHUNK_SAMPLES, CHUNK_CHARACTERS = 8, 64, 1 << 20
"""Programs, samples and characters that a worker is dealt at a time: whichever is reached first."""
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
AGAIN = """
select min(line) from results
where line not in (select min(line) from results group by name)
"""
FOREIGN = "select min(line) from results where name not in (select name from samples)"
DISTINCT = """
select program, body from samples
where number in (select min(number) from samples group by program) order by number
"""


class SampleTable:
    """Samples on disk, numbered from 0 in their order; gone when this is closed.

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
        """Return how many samples there are."""
        return int(self._count("select count(*) from samples"))

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples in their order."""
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
            take(row.data)
            return _row_name(row.data)

        # Names of results are joined with names of samples: neither side is held in memory.
        rows = enumerate(finished(journal, name_of))
        with filling("samples"):
            self._base.executemany("insert into results values (?, ?)", rows)
        # The first line that is wrong is named: a result twice, or of a program that is not there.
        again, foreign = self._count(AGAIN), self._count(FOREIGN)
        if again is not None or foreign is not None:
            is_again = foreign is None or (again is not None and again < foreign)
            raise _misplaced(journal, again if is_again else foreign, is_again=is_again)
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
            yield from _batches((self.read(number) for number, *_ in alike), CHUNK_SAMPLES)

    def chunks(self) -> Iterator[tuple[str, list[list[Sample]]]]:
        """Yield task ids with groups that a worker is dealt."""
        for task_id, groups in groupby(self.groups(), key=lambda group: group[0].task_id):
            yield from ((task_id, chunk) for chunk in _dealt(groups))

    def _count(self, query: str) -> Any:
        return self._base.execute(query).fetchone()[0]


def _columns(numbered: tuple[int, Sample]) -> tuple[int, bytes, bytes, bytes]:
    number, each = numbered
    # The name joins a sample with its row, across runs: it holds all that tells samples apart.
    program = program_hash(each.source)
    name = _digest(each.task_id, each.index, program, each.model, each.temperature)
    return number, name, bytes.fromhex(program), body(to_row(each))


def _misplaced(journal: Rows, line: int, *, is_again: bool) -> InputError:
    """Return the error for a row that is there twice, or that is of another program."""
    row = next(islice(journal.rows(), line, None))
    name = f"{clip(row.data['task_id'])}[{row.data['index']}]"
    if is_again:
        return InputError(
            f"holds the result of {name} a second time",
            path=journal.path,
            line=row.line,
            remedy="remove that line, or use --force to judge all samples again",
        )
    return InputError(
        f"holds a result of another program for {name} than the samples do",
        path=journal.path,
        line=row.line,
        remedy="the samples have changed: choose another --out",
    )


def samples_digest(programs: Iterable[Sample]) -> str:
    """Return a short name of samples in their order."""
    digest = hashlib.sha256()
    for sample in enumerate(programs):
        digest.update(_columns(sample)[1])
    return digest.hexdigest()[:32]


def _row_name(row: Mapping[str, Any]) -> bytes:
    model, temperature = row.get("model", ""), row.get("temperature")
    return _digest(row["task_id"], row["index"], row["program"], model, temperature)


def _digest(*facts: object) -> bytes:
    text = "\0".join(map(str, facts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def named(
    samples: Iterable[Sample], backend: Backend | None = None
) -> Iterator[tuple[Sample, str]]:
    """Yield each sample with the name that only equal programs share."""
    sent = deque[list[Sample]]()

    def dealt() -> Iterator[list[str]]:
        for some in _batches(samples, MOST_TOGETHER):
            sent.append(some)
            yield [sample.source for sample in some]

    call = Call("evalplus_lite.jobs.sample_table:naming")
    for names in map(names_of, dealt()) if backend is None else backend.map(call, dealt()):
        yield from zip(sent.popleft(), names, strict=True)


def group_row(group: Sequence[Sample]) -> Row:
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
    # Long programs are named by their text: compiling them costs more than running one twice.
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
