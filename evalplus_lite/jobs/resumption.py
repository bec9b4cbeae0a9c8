"""Samples that an earlier run has judged: its rows compared with the samples, both in order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.grouping import SampleSpool
from evalplus_lite.jobs.outputs import is_result
from evalplus_lite.programs import program_hash
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store.background import CancelGuard
from evalplus_lite.store.resuming import Rows, finished
from evalplus_lite.store.sorting import Sorter
from evalplus_lite.types import Sample, clip

DIGEST, NUMBER = 12, 8
"""Bytes of the name of a sample that its row bears, too, and of the number of either."""


class Done:
    """The samples that have rows, as a bit for each number; call it to query one."""

    def __init__(self, samples: int) -> None:
        self._bits = bytearray((samples + 7) // 8)
        self.count = 0

    def add(self, number: int) -> None:
        """Note that a sample has its row."""
        self.count += not self(number)
        self._bits[number >> 3] |= 1 << (number & 7)

    def __call__(self, number: int) -> bool:
        """Return whether a sample has a row."""
        return bool(self._bits[number >> 3] >> (number & 7) & 1)


def judged_before(
    programs: SampleSpool, journal: Rows, take: Callable[[Mapping[str, Any]], None]
) -> Done:
    """Return which samples have a row in the journal; ``take`` is called with each row.

    Raises InputError, naming the line, for a row of none of these samples, which would be counted
    too, and for a malformed one.
    """
    rows = Sorter(DIGEST + NUMBER)

    def read(row: FileRow) -> bytes:
        if not is_result(row.data):
            raise ValueError("its verdicts or names are not those of evaluate")
        take(row.data)
        return _row_name(row.data)

    done, count = Done(len(programs)), 0
    for number, name in enumerate(finished(journal, read)):
        rows.add(name + number.to_bytes(NUMBER))
        count += 1
    if not count:
        return done
    samples = Sorter(DIGEST + NUMBER)
    for number, sample in enumerate(programs):
        samples.add(sample_name(sample) + number.to_bytes(NUMBER))
    foreign = again = count
    named = groupby(samples, key=_name)
    name, numbers = next(named, (b"", iter(())))
    last = b""
    for row in rows:
        if row[:DIGEST] == last:  # in the order of their lines
            again = min(again, _number(row))
        last = row[:DIGEST]
        while name and name < row[:DIGEST]:
            name, numbers = next(named, (b"", iter(())))
        if name != row[:DIGEST]:
            foreign = min(foreign, _number(row))
            continue
        for each in numbers:
            done.add(_number(each))
    if min(foreign, again) == count:
        return done
    bad = next(islice(journal.rows(), min(foreign, again), None))
    name_shown = f"{clip(bad.data['task_id'])}[{bad.data['index']}]"
    if again < foreign:
        raise InputError(
            f"holds the result of {name_shown} a second time",
            path=journal.path,
            line=bad.line,
            remedy="remove that line, or use --force to judge all samples again",
        )
    raise InputError(
        f"holds a result of another program for {name_shown} than the samples do",
        path=journal.path,
        line=bad.line,
        remedy="the samples have changed: choose another --out",
    )


def _name(record: bytes) -> bytes:
    return record[:DIGEST]


def _number(record: bytes) -> int:
    return int.from_bytes(record[DIGEST:])


def sample_name(sample: Sample) -> bytes:
    """Return a digest of the fields that a sample shares with its row alone."""
    program = program_hash(sample.source)
    return _digest(sample.task_id, sample.index, program, sample.model, sample.temperature)


def samples_digest(programs: Iterable[Sample]) -> str:
    """Return a short name of samples in their order."""
    digest = hashlib.sha256()
    for sample in programs:
        digest.update(sample_name(sample))
    return digest.hexdigest()[:32]


def _row_name(row: Mapping[str, Any]) -> bytes:
    model, temperature = row.get("model", ""), row.get("temperature")
    return _digest(row["task_id"], row["index"], row["program"], model, temperature)


def _digest(*facts: object) -> bytes:
    text = "\0".join(map(str, facts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()


def first_of_each(programs: SampleSpool, guard: CancelGuard) -> Iterator[tuple[str, str]]:
    """Yield each distinct program's name in results and its text, in the order of the samples."""
    alike, firsts = Sorter(2 * NUMBER), Sorter(2 * NUMBER)
    for place, sample in guard(programs.places()):
        alike.add(bytes.fromhex(program_hash(sample.source)) + place.to_bytes(NUMBER))
    last = b""
    for record in alike:
        if record[:NUMBER] != last:
            last = record[:NUMBER]
            firsts.add(record[NUMBER:] + last)
    places = guard(programs.places())
    for first in firsts:
        wanted = int.from_bytes(first[:NUMBER])
        text = next(sample.source for place, sample in places if place == wanted)
        yield first[NUMBER:].hex(), text
