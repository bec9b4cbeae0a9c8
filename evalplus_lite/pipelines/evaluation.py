"""Samples against suites: verdicts as they come, appended to a journal that a later run resumes."""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.errors import (
    CodecError,
    InfrastructureError,
    InputError,
    SandboxUnavailable,
    UnusableTask,
)
from evalplus_lite.execution.base import Mapper
from evalplus_lite.grading.evaluator import Exam, examine
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.minimize import Shrinker
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.sandbox import Preset, Sandbox
from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, estimate
from evalplus_lite.store import Journal
from evalplus_lite.types import Failure, Sample, Suite, Task, Verdict
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json
from evalplus_lite.values.excerpts import decode_answer, shown

WINDOW = 2048
"""Samples looked at together, so that those of one task run in a row and equal ones run once."""
WINDOW_CHARACTERS = 16 << 20
"""What the samples of a window may hold together: beyond it the window ends early."""
CHUNK = 8
"""Programs of one task that a worker takes at a time."""
WHOLE_BYTES = 1 << 16
"""Inputs and outputs up to this size stand whole in a result row, larger ones shortened."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides verdicts, beyond tasks and samples; ``memory`` in bytes.

    ``total``: seconds that all cases of a program together may compute, and wait (None: by the
    preset).

    ``shrinker``, if given, finds the smallest input that each wrong program fails on.
    """

    preset: Preset
    memory: int = 1 << 30
    total: float | None = None
    details: bool = False
    shrinker: Shrinker | None = None
    has_plus: bool = True
    """Whether there are plus cases in the data set, and so verdicts on them."""


@dataclass
class Tally:
    """Counts that need no more memory for more samples: by task, and by verdict.

    ``unusable`` counts the samples of each task that has no usable case: they are in no other
    count. Without ``has_plus`` the data set has no plus cases, and no verdicts on them.
    """

    base: Counter[str] = field(default_factory=Counter)
    plus: Counter[str | None] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    base_right: Counter[str] = field(default_factory=Counter)
    plus_right: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    unusable: Counter[str] = field(default_factory=Counter)
    has_plus: bool = True

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        task, base, plus = row["task_id"], row["base"], row["plus"]
        self.base[base] += 1
        self.plus[plus] += 1
        self.total[task] += 1
        self.base_right[task] += base == "pass"
        self.plus_right[task] += plus == "pass"

    def pass_at_k(self, ks: Iterable[int] = DEFAULT_K) -> dict[str, dict[str, float]]:
        """Return pass@k for base and plus, for each k that every task has samples enough for.

        There is none for plus where the data set has no plus cases.
        """
        ks = tuple(ks)
        rights = {"base": self.base_right} | ({"plus": self.plus_right} if self.has_plus else {})
        return {
            name: estimate({t: Count(n, right[t]) for t, n in self.total.items()}, ks)
            for name, right in rights.items()
        }


@dataclass(frozen=True, slots=True)
class _Chunk:
    task: Task
    samples: tuple[Sample, ...]

    def weight(self) -> int:
        """Return how many characters wait with it."""
        return sum(len(sample.source) for sample in self.samples)


def evaluate(
    tasks: Mapping[str, Task],
    samples: Iterable[Sample],
    pool: Mapper,
    source: SuiteSource,
    settings: Settings,
    journal: Journal,
    *,
    wanted: Collection[bytes] | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Judge every sample that the journal does not hold yet; return the counts of all.

    ``wanted`` are the names of all samples (``names``): results of others in the journal, which
    would be counted among these, raise InputError.

    Rows are appended in an order that depends on the samples alone, so the journal of a run that
    was killed and resumed equals that of one that was not. A sample that the machine failed on is
    no row: it is named in ``Tally.infra``, and tried again when the job is run again.
    A sample of a task without a usable case is no row either: ``source.unusable`` has the cause.
    What the suites of all other tasks with samples rest on stands in ``source.evidence``.
    """
    progress = progress or Silent()
    tally, done = Tally(has_plus=settings.has_plus), set()
    for old in journal.rows():
        with journal.reading(old):
            tally.add(old.data)
            name = _row_identity(old.data)
        if wanted is not None and name not in wanted:
            shown = f"{old.data['task_id']}[{old.data['index']}]"
            raise InputError(
                f"holds a result of another program for {shown} than the samples do",
                path=journal.path,
                line=old.line,
                remedy="the samples have changed: choose another --out",
            )
        done.add(name)
    if done:
        progress.note(f"{len(done)} results were there already")
        progress.advance(len(done))
    exams = _Exams(source, settings)

    def run(sandbox: Sandbox, chunk: _Chunk) -> list[dict[str, Any]]:
        return _run(sandbox, chunk, exams, settings)

    chunks = _chunks(tasks, samples, done)
    for rows in pool.imap(run, chunks, weight=_Chunk.weight):
        for row in rows:
            if row["base"] == "unusable":
                tally.unusable[row["task_id"]] += 1
            elif row["base"] == "infra":
                tally.infra.append(f"{row['task_id']}[{row['index']}]: {row['failure']}")
            else:
                journal.append(row)
                tally.add(row)
        progress.advance(len(rows))
    journal.flush()
    # Of a run that is resumed the rest, so that both say the same.
    judged = [task for id, task in tasks.items() if id in tally.total]
    source.prepare(judged, pool)
    return tally


class _Exams:
    """The exams of the tasks in use: made once each, the oldest forgotten; for many threads."""

    KEPT = 512

    def __init__(self, source: SuiteSource, settings: Settings) -> None:
        self.source, self.settings = source, settings
        self.made: dict[str, Exam] = {}
        self.lock = threading.Lock()
        self.making: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """One lock a task: two threads that need the same exam do not both make it."""

    def of(self, sandbox: Sandbox, task: Task) -> Exam:
        exam = self.made.get(task.id)
        if exam is not None:
            return exam
        with self.lock:
            making = self.making[task.id]
        with making:
            exam = self.made.get(task.id)
            if exam is None:
                suite = self.source.suite(sandbox, task)
                exam = Exam.of(
                    task,
                    suite,
                    self.settings.preset,
                    memory=self.settings.memory,
                    total=self.settings.total,
                    cache=self.source.cache,
                    has_plus=self.settings.has_plus,
                )
                self.source.forget(task.id)
                with self.lock:  # nobody may add to it while the oldest are looked for
                    self.made[task.id] = exam
                    while len(self.made) > self.KEPT:
                        del self.made[next(iter(self.made))]
        return exam


def _chunks(
    tasks: Mapping[str, Task], samples: Iterable[Sample], done: set[bytes]
) -> Iterator[_Chunk]:
    """Yield what is still to do, samples of one task together within each window."""
    stream = iter(samples)
    while window := _window(stream):
        grouped: dict[str, list[Sample]] = {}
        for sample in window:
            # Also those that are done have a say in the order of the tasks: it must not change.
            group = grouped.setdefault(sample.task_id, [])
            if _sample_identity(sample) not in done:
                group.append(sample)
        for task_id, group in grouped.items():
            for start in range(0, len(group), CHUNK):
                yield _Chunk(tasks[task_id], tuple(group[start : start + CHUNK]))


def _window(stream: Iterator[Sample]) -> list[Sample]:
    found, characters = list[Sample](), 0
    for sample in itertools.islice(stream, WINDOW):
        found.append(sample)
        characters += len(sample.source)
        if characters > WINDOW_CHARACTERS:
            break
    return found


def _run(
    sandbox: Sandbox, chunk: _Chunk, exams: _Exams, settings: Settings
) -> list[dict[str, Any]]:
    seen: dict[str, dict[str, Any]] = {}
    rows = []
    for sample in chunk.samples:
        name = program_hash(sample.source)
        if name not in seen:  # equal programs get equal verdicts: run once
            seen[name] = _verdict_row(sandbox, exams, chunk.task, sample, settings)
        row = {"task_id": sample.task_id, "index": sample.index, "program": name}
        if sample.model:
            row["model"] = sample.model
        if sample.temperature is not None:
            row["temperature"] = sample.temperature
        rows.append({**row, **seen[name]})
    return rows


def _verdict_row(
    sandbox: Sandbox, exams: _Exams, task: Task, sample: Sample, settings: Settings
) -> dict[str, Any]:
    try:
        return _judged(sandbox, exams.of(sandbox, task), sample, settings)
    except UnusableTask:
        return {"base": "unusable"}
    except SandboxUnavailable:
        raise
    except InfrastructureError as error:
        return {"base": "infra", "failure": str(error)}


def _judged(sandbox: Sandbox, exam: Exam, sample: Sample, settings: Settings) -> dict[str, Any]:
    verdict = examine(sandbox, exam, sample.source, details=settings.details)
    row: dict[str, Any] = {"base": verdict.base, "plus": verdict.plus}
    failure = failure_row(exam.suite, verdict)
    if failure is not None:
        row["failure"] = failure
    if verdict.failure is not None and settings.shrinker is not None:
        found = settings.shrinker.smallest(sandbox, exam, sample.source, verdict.failure)
        if found is not None:
            row["smallest"] = _explained(found.suite, found.failure)
    if verdict.details is not None:
        row["details"] = list(verdict.details)
    return row


def failure_row(suite: Suite, verdict: Verdict) -> dict[str, Any] | None:
    """Return the case that decided a verdict, with its input, expected and actual output whole."""
    return None if verdict.failure is None else _explained(suite, verdict.failure)


def _explained(suite: Suite, failure: Failure) -> dict[str, Any]:
    case, expected = suite.cases[failure.case], suite.expected[failure.case]
    row: dict[str, Any] = {"case": failure.case, "verdict": failure.verdict}
    row["detail"] = failure.detail
    if failure.line is not None:
        row["line"] = failure.line
    row["input"] = _whole(wire.encode(list(case.arguments)))
    row["expected"] = _whole(expected)
    if failure.actual is not None:
        try:
            row["actual"] = _whole(failure.actual)
        except CodecError as error:
            row["actual"] = {"$unreadable": str(error)}
    return row


def _whole(data: bytes) -> Any:
    if len(data) > WHOLE_BYTES:
        return {"$shortened": shown(data)}
    return to_json(decode_answer(data))


def names(samples: Iterable[Sample]) -> set[bytes]:
    """Return the names under which results of these samples are known: 12 bytes each."""
    return set(map(_sample_identity, samples))


def program_hash(source: str) -> str:
    """Return the name under which a program's text is known in results: 16 hex digits."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _sample_identity(sample: Sample) -> bytes:
    program = program_hash(sample.source)
    return _identity(sample.task_id, sample.index, program, sample.model, sample.temperature)


def _row_identity(row: Mapping[str, Any]) -> bytes:
    model, temperature = row.get("model", ""), row.get("temperature")
    return _identity(row["task_id"], row["index"], row["program"], model, temperature)


def _identity(*facts: object) -> bytes:
    """Return a short key: with many samples, the keys are what memory holds."""
    text = "\0".join(map(str, facts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def missing(tasks: Sequence[str], tally: Tally) -> list[str]:
    """Return the usable tasks without any judged sample, in order."""
    return [task for task in tasks if not tally.total[task] and not tally.unusable[task]]
