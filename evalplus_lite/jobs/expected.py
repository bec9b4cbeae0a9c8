"""Suites of tasks: shared with workers, and computed once if a task has no outputs."""

from __future__ import annotations

import base64
import functools
import gc
import hashlib
import json
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Call, Maker, Ref, Row, Work, WorkerContext
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.grading.evidence import (
    Evidence,
    blamed,
    own_refused,
    recorded,
    require_check,
    weighed,
)
from evalplus_lite.grading.null import require_effect, require_knowledge
from evalplus_lite.grading.oracle import NO_REFERENCE, Answers, Dropped, answer
from evalplus_lite.sandbox import Inputs, Limits, Sandbox
from evalplus_lite.store.cache import cache_folder, cache_path, read_cached, write_cached
from evalplus_lite.store.opening import Blob, Blobs, Packed
from evalplus_lite.types import Suite, Task, Unusable

# Tasks and suites as shared data: staged once by the parent, loaded by the workers.

MOST_BYTES = 256 << 20
"""Maximum bytes of prepared tasks in one worker, by their staged size."""
Made = TypeVar("Made")


@dataclass
class SharedData:
    """Stages tasks on first use, each with the suite in ``given``, if any."""

    backend: Processes
    given: Mapping[str, Suite] = field(default_factory=dict)
    _refs: dict[str, tuple[Task, Ref]] = field(default_factory=dict)

    def ref(self, task: Task) -> Ref:
        """Return a reference to the staged task."""
        shared = self._refs.get(task.id)
        # Another task with the same id (such as one with recovered base cases) is staged, too.
        if shared is None or shared[0] is not task:
            suite = self.given.get(task.id)
            row = to_row(task), None if suite is None else to_row(suite)
            shared = self._refs[task.id] = task, self.backend.stage(row)
        return shared[1]


def staged(context: WorkerContext, ref: Ref) -> tuple[Task, Suite | None]:
    """Return a staged task, and its suite if one was given."""
    # Garbage collection would traverse all the new data and free none of it, as it is long-lived.
    enabled = gc.isenabled()
    gc.disable()
    try:
        task, suite = context.load(ref)
        return from_row(Task, task), None if suite is None else from_row(Suite, suite)
    finally:
        if enabled:
            gc.enable()


class Prepared(Generic[Made]):
    """A worker's prepared suites; beyond a memory bound, the least recently used are dropped."""

    def __init__(self, *, most: int = MOST_BYTES) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, tuple[int, Made]] = OrderedDict()
        self._size = 0

    def under(self, key: Hashable, size: int, make: Callable[[], Made]) -> Made:
        """Return the object under a key, created if missing; ``size`` is its approximate bytes."""
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key][1]
        item = make()
        self._made[key] = size, item
        self._size += size
        # One suite is kept, however large, because it is in use.
        while self._size > self._most and len(self._made) > 1:
            _, (gone, _) = self._made.popitem(last=False)
            self._size -= gone
        return item


# Suites for tasks that come without expected outputs: computed once, cached by content.

FORMAT = 10
"""Part of every key; increase it when the computation changes."""
PUBLISHED_LIMITS = Limits(cpu=30.0, load=10.0, memory=4 << 30)
"""Limits for inputs of published sets, which are trusted: slow references are not dropped."""
MOST_SLOW = 2
"""Maximum number of own cases that hit the limits: an endless reference would take hours."""


@dataclass
class SuiteSource:
    """Provides a task's suite, from a file, the cache, or the reference's answers.

    ``evidence`` has the evidence of each returned suite by task, ``unusable`` the tasks without a
    usable suite, with the cause.
    """

    given: Mapping[str, Suite] = field(default_factory=dict)
    cache: Path | None = field(default_factory=cache_folder)
    limits: Limits = PUBLISHED_LIMITS
    evidence: dict[str, Evidence] = field(default_factory=dict, init=False)
    unusable: dict[str, Unusable] = field(default_factory=dict, init=False)
    _examined: dict[str, tuple[Task, Suite | None]] = field(default_factory=dict, init=False)
    """Each unusable task as it was examined here, with the suite given then."""

    def usable(
        self,
        sandbox: Sandbox,
        task: Task,
        given: Suite | None = None,
        *,
        needs_reference: bool = False,
    ) -> Answers:
        """Return a task's suite, with at least one case, and its dropped cases.

        ``given`` is its suite from a file. All suites that are judged, reduced or exported come
        through this method. Raises UnusableTask if there is no suite, or if the job
        ``needs_reference`` and there is none.
        """
        # An unusable task is examined once: later callers get the same error at no cost. A worker
        # keeps its source for a session, within which the author may correct the task.
        problem = self.unusable.get(task.id)
        if problem is not None:
            if self._examined.get(task.id, (task, given)) == (task, given):
                raise UnusableTask(*astuple(problem))
            del self.unusable[task.id]
        try:
            with blamed(task):
                if needs_reference and not task.reference:
                    raise UnusableTask(task.id, "no reference", NO_REFERENCE)
                # Order: answers, evidence, then the checks that run programs, the cheapest first.
                if given is None:
                    answers = self.answers(sandbox, task)
                else:
                    answers = Answers(given, (), tuple(range(len(given.cases))))
                evidence = weighed(task, answers)
                require_check(sandbox, task, answers.suite)
                require_effect(sandbox, task, answers.suite)
                weak = self._weak(sandbox, task, answers.suite, given)
                evidence = replace(evidence, null_program=weak)
        except UnusableTask as error:
            self.unusable[task.id] = recorded(error)
            self._examined[task.id] = task, given
            self.evidence.pop(task.id, None)
            raise
        self.evidence[task.id] = evidence
        return answers

    @property
    def settings(self) -> Row:
        """The settings from which ``source_of`` creates an equal source, except for given
        suites.
        """
        return None if self.cache is None else str(self.cache), to_row(self.limits)

    def call(self, maker: Maker, *others: Row, packages: tuple[str, ...] = ()) -> Call:
        """Return the call of an ``on_suites`` maker with this source and other settings."""
        return Call(f"{maker.__module__}:{maker.__name__}", (self.settings, *others), packages)

    def take(self, task_id: str, row: Row) -> None:
        """Record the ``found_evidence`` of a task whose suite a worker prepared."""
        # None: the same worker has already returned the task's evidence.
        evidence, bad = row or (None, None)
        if evidence is not None:
            self.evidence[task_id] = from_row(Evidence, evidence)
        if bad is not None:
            self.unusable[task_id] = from_row(Unusable, bad)

    def prepare(
        self, tasks: Iterable[Task], backend: Processes, staging: SharedData | None = None
    ) -> None:
        """Determine the evidence of each task's suite, in parallel."""
        # Only tasks that were not judged in this run, which happens when a run is resumed.
        left = [task for task in tasks if task.id not in {**self.evidence, **self.unusable}]
        for _ in self.suites(left, backend, staging, is_sent=False):
            pass

    def suites(
        self,
        tasks: Sequence[Task],
        backend: Processes,
        staging: SharedData | None = None,
        *,
        is_sent: bool = True,
    ) -> Iterator[Suite | None]:
        """Yield the suite of each task, in order; None for one that cannot be used.

        Unless ``is_sent``, only their evidence is determined.
        """
        refs = map((staging or SharedData(backend, self.given)).ref, tasks)
        rows = backend.map(self.call(preparing, is_sent), refs, key=lambda ref: ref)
        for task, (evidence, suite) in zip(tasks, rows, strict=True):
            self.take(task.id, evidence)
            # True stands for a given suite, which need not be sent back.
            yield self.given.get(task.id) if suite is True else suite and from_row(Suite, suite)

    def answers(self, sandbox: Sandbox, task: Task) -> Answers:
        """Return the reference's answers to the task's own cases, cached or computed."""
        path = cache_path(self.cache, "expected", self._facts(sandbox, task), ".jsonl")
        cached = read_cached(path, lambda lines: _from_lines(lines, task))
        return cached or self._compute(sandbox, task, path)

    def _compute(self, sandbox: Sandbox, task: Task, path: Path | None) -> Answers:
        own_refused(sandbox, task)  # raises early if the contract is useless
        if not task.reference:
            if not task.outputs:
                detail = "it has neither a reference nor outputs"
                raise UnusableTask(task.id, "no reference", detail)
            return Answers.of(Suite(task.id, task.base, Blobs(task.outputs), len(task.base)))
        answers = answer(
            sandbox,
            task,
            task.cases,
            base_count=len(task.base),
            limits=self.limits,
            contract=False,  # a task's own cases are not checked
            max_failures=MOST_SLOW,
        )
        # Only computed answers are cached; reading those of a file is fast.
        write_cached(path, (line.encode() for line in _lines(answers)))
        return answers

    def _weak(self, sandbox: Sandbox, task: Task, suite: Suite, given: Suite | None) -> str:
        """Return the result of ``require_knowledge``, or raise its error; cached by content."""
        # The results of null programs are cached separately from answers, because they also depend
        # on a given suite.
        facts = self._facts(sandbox, task)
        if given is not None:  # a suite from a file has its own answers
            items = given.blobs.items()
            blobs = (each if isinstance(each, bytes) else each.digest for each in items)
            facts += [digest(*blobs), Inputs.of(case.arguments for case in given.cases).key]
        path = cache_path(self.cache, "expected", facts, ".null")
        result = read_cached(path, _null_result)
        if result is None:
            try:
                result = "", require_knowledge(sandbox, task, suite)
            except UnusableTask as error:
                result = error.cause, error.detail
            write_cached(path, [json.dumps(result).encode()])
        if result[0]:
            raise UnusableTask(task.id, *result)
        return result[1]

    def _facts(self, sandbox: Sandbox, task: Task) -> list[Any]:
        """Return everything that the answers depend on."""
        facts: list[Any] = [FORMAT, sys.version_info[:2], task.reference, task.entry_point]
        facts += [task.harness.row, sorted({*sandbox.config.packages})]
        facts += [task.rule.row, repr(self.limits), task.contract]
        facts += [digest(*task.outputs)] if task.outputs else []
        facts += task.programs
        facts.append(Inputs.of(case.arguments for case in task.cases).key)
        return facts


def digest(*parts: bytes) -> str:
    """Return a hash of a sequence of byte strings."""
    hasher = hashlib.sha256()
    for part in parts:
        # Without lengths, the same bytes divided differently would have the same hash.
        hasher.update(len(part).to_bytes(8, "big") + part)
    return hasher.hexdigest()


def _lines(answers: Answers) -> Iterator[str]:
    """Yield a cache file: a line of facts, then a line for each expected output."""
    dropped = [[drop.cause, drop.detail] for drop in answers.dropped]
    yield json.dumps({"kept": answers.kept, "dropped": dropped}) + "\n"
    for item in answers.suite.blobs.items():
        yield json.dumps(blob_row(item)) + "\n"


def _null_result(file: BinaryIO) -> tuple[Any, str]:
    cause, detail = json.load(file)
    return cause, str(detail)


def _from_lines(lines: Iterator[bytes], task: Task) -> Answers:
    facts = json.loads(next(lines))
    accepted = tuple(facts["kept"])
    lost = sorted(set(range(len(task.cases))) - set(accepted))
    dropped = tuple(
        Dropped(task.cases[number], cause, detail)
        for number, (cause, detail) in zip(lost, facts["dropped"], strict=True)
    )
    suite = Suite(
        task.id,
        tuple(task.cases[number] for number in accepted),
        Blobs(blob_of(json.loads(line)) for line in lines),
        sum(number < len(task.base) for number in accepted),
    )
    # A truncated file has fewer answers than cases.
    if len(suite.cases) != len(suite.expected):
        raise ValueError("lengths differ")
    return Answers(suite, dropped, accepted)


def blob_row(item: Blob) -> str | list[Any]:
    """Return an expected output as a value in a JSON row; a large one stays compressed."""
    if isinstance(item, bytes):
        return base64.b64encode(item).decode()
    return [item.size, item.digest.hex(), base64.b64encode(item.data).decode()]


def blob_of(row: str | list[Any]) -> Blob:
    """Return the expected output from its value in a JSON row."""
    if isinstance(row, str):
        return base64.b64decode(row, validate=True)
    size, digest, data = row
    return Packed(int(size), bytes.fromhex(digest), base64.b64decode(data, validate=True))


# Work on suites: the evidence behind a task's suite.


def source_of(settings: Row) -> SuiteSource:
    """Create a source of suites from ``SuiteSource.settings``."""
    cache, limits = settings
    path = None if cache is None else Path(cache)
    return SuiteSource(cache=path, limits=from_row(Limits, limits))


def found_evidence(source: SuiteSource, task_id: str) -> Row:
    """Return a task's evidence, and the cause if it is unusable, as plain data."""
    evidence, bad = source.evidence.get(task_id), source.unusable.get(task_id)
    return None if evidence is None else to_row(evidence), None if bad is None else to_row(bad)


def on_suites(work: Callable[..., Row]) -> Maker:
    """Return the maker of work on suites, for ``SuiteSource.call``.

    ``work`` is called with the context, the source, an item, and the other settings.
    """

    @functools.wraps(work)
    def maker(context: WorkerContext, settings: Row) -> Work:
        source, others = source_of(settings[0]), settings[1:]
        return lambda item: work(context, source, item, *others)

    return maker


@on_suites
def preparing(context: WorkerContext, source: SuiteSource, item: Row, is_sent: bool) -> Row:
    """Return the ``found_evidence`` of a staged task's suite, and the suite: True if it was given
    or not requested, None if there is none.
    """
    task, given = staged(context, item)
    try:
        suite = source.usable(context.sandbox, task, given).suite
    except UnusableTask:
        return found_evidence(source, task.id), None
    row = to_row(suite) if is_sent and given is None else True
    return found_evidence(source, task.id), row
