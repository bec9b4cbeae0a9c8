"""Judging of single programs: the base of ``Verifier``, the server and the adapters."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError, UnusableTask, one_of
from evalplus_lite.execution.base import Call, Result, Row, WorkerContext
from evalplus_lite.execution.channel import unpacked
from evalplus_lite.execution.processes import DEFAULT, Processes, make_backend
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.evidence import blamed, notes
from evalplus_lite.grading.observer import is_killed
from evalplus_lite.grading.times import machine
from evalplus_lite.jobs.expected import Prepared, SharedData, SuiteSource, source_of, staged
from evalplus_lite.jobs.judging import Settings, failure_row
from evalplus_lite.programs.extraction import extract
from evalplus_lite.sandbox import Limits, Preset, SandboxConfig, config_of
from evalplus_lite.sandbox.probe import surroundings
from evalplus_lite.store import cache_folder
from evalplus_lite.store.locks import Lock
from evalplus_lite.store.rows import RowStore
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover
from evalplus_lite.types import VERDICTS, Failure, Suite, Task, Verdict
from evalplus_lite.version import __version__

# In the caller's process.

WORK = __name__
USUAL = None, None, None
"""The default limits."""


class UnknownTask(InputError):
    """A task, or a data set, that is not loaded."""


class ProgramJudge:
    """Judges programs for the tasks of datasets, and for tasks sent with a program.

    Thread-safe. Its sandboxes start when they are first needed and end when it is closed or
    garbage-collected; a forked process has its own.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        settings: Settings,
        *,
        workers: int | None,
        sandbox: str,
        packages: Sequence[str] = (),
        cache: str | os.PathLike[str] | None = None,
        store: str | os.PathLike[str] | None = None,
        backend: str = DEFAULT,
        preload: Sequence[str] = (),
    ) -> None:
        self.datasets: dict[str, Dataset] = {}
        for dataset in datasets:
            if dataset.name in self.datasets:
                raise InputError(f"two data sets are named {dataset.name!r}", remedy="rename one")
            self.datasets[dataset.name] = dataset
        self.tasks = {name: {task.id: task for task in d} for name, d in self.datasets.items()}
        # Nothing is started yet, because a caller may fork, or never judge.
        source = SuiteSource(cache=cache_folder() if cache is None else Path(_path(cache, "cache")))
        folder = None if store is None else _path(store, "store")
        self._call = Call(f"{WORK}:Verification", (source.settings, to_row(settings), folder))
        config = config_of(sandbox, packages)
        self.backend = make_backend(backend, workers, config, preload=[WORK, *preload])
        self._staged: dict[str, SharedData] = {}
        self._lock, self._is_closed = Lock(), False
        self._ending: weakref.finalize | None = None  # type: ignore[type-arg]

    def open(self) -> None:
        """Start the sandboxes if needed; raise SandboxUnavailable if no tier holds here."""
        with self._lock:
            if self._is_closed:
                raise InputError("it is closed", remedy="make another, or enter it again")
            if self._ending is not None:
                return
            self.backend.__enter__()
            try:
                # Checked now, so that a machine without a sandbox is reported here and not by the
                # first program.
                self.backend.tier  # noqa: B018 - raises if there is none
            except BaseException:
                self.backend.close(now=True)
                raise
            self._staged = {
                name: SharedData(self.backend, each.suites) for name, each in self.datasets.items()
            }
            # Pass the backend, because a reference to ``self`` would keep it alive.
            self._ending = weakref.finalize(self, _end, self.backend)
            self._ending.atexit = False  # workers notice the end of this process by themselves

    def reopen(self) -> None:
        """Allow use after ``close``."""
        with self._lock:
            self._is_closed = False

    def close(self, *, now: bool = False) -> None:
        """End all sandboxes; finish programs being judged first or, with ``now``, drop them."""
        with self._lock:
            self._is_closed = True
            if self._ending is not None:
                self._ending.detach()
                self._ending = None
        self.backend.close(now=now)

    def task(self, task_id: str, dataset: str | None = None) -> tuple[Task, str]:
        """Return a task and its dataset's name, by default of the first dataset that has it.

        Raises UnknownTask, and UnusableTask for one without a usable case.
        """
        # Look for the task; if it is missing, check whether some set has it as unusable.
        names = list(self.datasets) if dataset is None else [dataset]
        for name in names:
            task = self.tasks_of(name).get(task_id)
            if task is not None:
                return task, name
        for name in names:
            for bad in self.datasets[name].unusable:
                if bad.task_id == task_id:
                    raise UnusableTask(bad.task_id, bad.cause, bad.detail)
        first = next((repr(id) for name in names for id in self.tasks[name]), None)
        raise UnknownTask(
            f"no task {task_id[:200]!r} in {', '.join(names) or 'any data set'}",
            remedy=f"the first is {first}" if first else "load a data set that has it",
        )

    def tasks_of(self, dataset: str) -> Mapping[str, Task]:
        """Return the tasks of a dataset by id; raise UnknownTask if it is not loaded."""
        if dataset not in self.tasks:
            remedy = one_of(dataset[:200], self.tasks) if self.tasks else "none is"
            raise UnknownTask(f"no data set {dataset[:200]!r} is loaded", remedy=remedy)
        return self.tasks[dataset]

    def source(self, task: Task, dataset: str) -> Row:
        """Return the source for ``submit`` of a task in a dataset."""
        self.open()
        return "staged", self._staged[dataset].ref(task), self.datasets[dataset].has_plus

    def submit(
        self,
        source: Row,
        program: Row,
        options: Sequence[str] = (),
        limits: Row = USUAL,
        *,
        key: Hashable,
        then: Callable[[Row], Result],
    ) -> Future[Result]:
        """Submit a program to ``Verification``; programs with equal ``key`` go to the same worker.

        ``then`` converts (seconds, row) to the future's result.
        """
        self.open()
        item = (source, program, tuple(options), limits)
        return self.backend.submit(self._call, item, key=key, then=then)


def _path(value: object, name: str) -> str:
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{name} is {value!r:.60}", remedy="give the path of a folder, or None")
    return os.path.abspath(value)


def _end(backend: Processes) -> None:
    """Close a backend in a new thread, because the current one may be the backend's own."""
    threading.Thread(target=backend.close, kwargs={"now": True}).start()


# In a supervisor: staged tasks, and tasks sent with a program.

REFERENCE_LIMITS = Limits(cpu=10.0, load=10.0, total=60.0)
"""Limits for the reference of a task sent with a program, which is untrusted."""


@dataclass(frozen=True, slots=True)
class RequestedTask:
    """A task sent with a program, and the cases of each of its tests; all have to pass.

    ``inside`` counts the tests that the program's own process decides, at least in part: those that
    could not be divided, and comparisons of two computed values, as by ``np.allclose``. A deceptive
    program could pass them.
    """

    task: Task
    tests: tuple[range, ...] = ()
    inside: int = 0
    suite: Suite | None = None
    has_plus: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A suite that is ready to run, with facts for its users."""

    suite: PreparedSuite
    notes: list[str]
    requested: RequestedTask


class Verification:
    """Judges single programs: work by name (``Call``).

    Its settings are (suite source, ``Settings``, verdict store folder or None), an item is (source,
    program, options, limits), and the result is the seconds and the verdict, as plain data.

    A source is ("staged", ref, whether there are plus cases), or (maker, digest, data), with a
    function ``module:function`` that creates a ``RequestedTask`` from the data. Limits are
    (seconds, bytes, total seconds), each None for the default. Options are words: ``chat``,
    ``details``, ``explain``, ``tests``, ``program``, and ``verdict`` for all fields of a Verdict.
    If the program is replaced by a failure's fields, the result describes its case.
    """

    def __init__(self, context: WorkerContext, row: Row) -> None:
        source, settings, store = row
        self.context, self.source = context, source_of(source)
        self.settings = from_row(Settings, settings)
        self.folder = None if store is None else Path(store)
        self.prepared: Prepared[Ready | UnusableTask] = Prepared()

    @cached_property
    def store(self) -> VerdictStore | None:
        """The store of verdicts, opened on first use, as it depends on the sandbox."""
        config = self.context.sandbox.config
        return None if self.folder is None else VerdictStore(self.folder, config)

    def __call__(self, item: Row) -> Row:
        """Judge a program, or explain a failure."""
        start = time.monotonic()
        source, program, options, limits = item
        settings = self._limited(limits)
        # The suite is prepared once for all programs of a task, and kept as long as there is room.
        ready = self.ready(source, settings)
        if isinstance(program, tuple):
            row = failure_row(ready.suite.suite, Failure(*program))
            return time.monotonic() - start, row
        # Programs are extracted from answers here, in the supervisor, not in the caller's process.
        if "chat" in options:
            program = extract(program, ready.suite.task, kind="solution").source
        details = "details" in options or "tests" in options
        verdict, is_stored = self._verdict(ready.suite, settings, program, details)
        row = verdict_row(ready, verdict, program, options) | {"stored": is_stored}
        return time.monotonic() - start, row

    def ready(self, source: Row, settings: Settings) -> Ready:
        """Return a task's prepared suite, cached if possible; raise UnusableTask if it has none."""
        kind, name, data = source
        if kind == "staged":
            settings = replace(settings, has_plus=data)
        # Requests may have their own tasks, so the cache is bounded in bytes.
        size = name[1] if kind == "staged" else len(data)

        def prepare() -> Ready | UnusableTask:
            try:
                return self._prepare(source, settings)
            except UnusableTask as error:  # cached, too: it may have taken a run of the reference
                return error

        suite = self.prepared.under((kind, name, settings), size, prepare)
        if isinstance(suite, UnusableTask):
            # The same error is raised for each program, so its traceback would grow every time.
            raise suite.with_traceback(None)
        return suite

    def _prepare(self, source: Row, settings: Settings) -> Ready:
        kind, name, data = source
        if kind == "staged":
            suites = self.source
            task, suite = staged(self.context, name)
            with blamed(task):
                # Base cases stated only in test programs are recovered here, unless a job did so
                # before.
                if has_hidden_cases(task):
                    task = recover(self.context.sandbox, task)
            requested = RequestedTask(task, (), 0, suite, settings.has_plus)
        else:
            # A source of its own, because two requests may use the same task name.
            suites = SuiteSource(cache=self.source.cache, limits=REFERENCE_LIMITS)
            module, _, function = kind.partition(":")
            requested = getattr(import_module(module), function)(unpacked(data))
            settings = replace(settings, has_plus=requested.has_plus)
        task = requested.task
        prepared = settings.prepared(self.context, suites, task, requested.suite)
        return Ready(prepared, list(notes(suites.evidence[task.id])), requested)

    def _limited(self, limits: Row) -> Settings:
        # Each limit in a request replaces the default separately.
        seconds, memory, total = limits
        usual = self.settings
        return replace(
            usual,
            preset=usual.preset if seconds is None else Preset(seconds, usual.preset.factor),
            memory=usual.memory if memory is None else memory,
            total=usual.total if total is None else total,
        )

    def _verdict(
        self, prepared: PreparedSuite, settings: Settings, program: str, details: bool
    ) -> tuple[Verdict, bool]:
        # Verdicts with details are stored separately, because they run all cases.
        settings = replace(settings, details=details)
        if self.store and (stored := self.store.get(prepared, settings, program)):
            return stored, True
        verdict = evaluate_program(self.context.sandbox, prepared, program, details=details)
        if self.store:
            self.store.put(prepared, settings, program, verdict)
        return verdict, False


def verdict_row(ready: Ready, verdict: Verdict, program: str, options: Row) -> dict[str, Any]:
    """Return a verdict as JSON types; with the option ``verdict``, all its fields."""
    failure, requested = verdict.failure, ready.requested
    row: dict[str, Any] = {"notes": ready.notes} if ready.notes else {}
    if "verdict" in options:
        return {"verdict": astuple(verdict), **row}
    row |= {"passed": verdict.passed, "base": verdict.base, "plus": verdict.plus, "failure": None}
    row["seconds"] = verdict.cpu
    if failure is not None and "explain" in options:
        row["failure"] = failure_row(ready.suite.suite, failure)
    elif failure is not None:
        case, name, detail, line, _ = astuple(failure)
        row["failure"] = {"case": case, "verdict": name, "detail": detail, "line": line}
    if requested.inside:
        row["inside"] = requested.inside
    if verdict.details is not None and "details" in options:
        row["details"] = list(verdict.details)
    if verdict.details is not None and ("tests" in options or requested.tests):
        names = verdict.details
        # A test can have several cases, and its verdict is that of the first failing one. Without
        # tests, each case is a test.
        row["tests"] = [
            next((names[case] for case in cases if names[case] != "pass"), "pass")
            for cases in requested.tests or [range(n, n + 1) for n in range(len(names))]
        ]
    if "program" in options:
        row["program"] = program
    return row


# The store of verdicts on disk, keyed by everything that decides them.

STORE_BYTES = 1 << 28
"""Maximum bytes of stored verdicts."""


class VerdictStore:
    """Verdicts of programs by task content, program, limits, sandbox, machine and version.

    A program is identified by its text, because failures name line numbers.
    """

    def __init__(self, folder: Path, config: SandboxConfig) -> None:
        self._rows = RowStore(folder, STORE_BYTES)
        self._about = __version__, sys.version, machine(), config, surroundings(config)
        self._last: tuple[PreparedSuite, Settings, bytes] | None = None

    def get(self, prepared: PreparedSuite, settings: Settings, program: str) -> Verdict | None:
        """Return the stored verdict on a program, or None."""
        text = self._rows.get(self._key(prepared, settings, program))
        if text is None:
            return None
        try:
            return _restored(json.loads(text), len(prepared.suite.cases))
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def put(
        self, prepared: PreparedSuite, settings: Settings, program: str, verdict: Verdict
    ) -> None:
        """Store a verdict, unless the machine may have caused it."""
        if not is_killed(verdict.failure):
            row = astuple(verdict)
            text = json.dumps(row, default=lambda data: base64.b64encode(data).decode())
            self._rows.put(self._key(prepared, settings, program), text)

    def _key(self, prepared: PreparedSuite, settings: Settings, program: str) -> bytes:
        # Consecutive programs usually have the same suite, whose part of the key is expensive.
        last = self._last
        if last is None or last[0] is not prepared or last[1] != settings:
            task, suite = prepared.task, prepared.suite
            # Everything that decides the verdict except the program.
            facts = (
                *(self._about, to_row(settings), task.reference, task.entry_point),
                *(task.harness, task.contract, task.rule, suite.base_count, prepared.inputs.key),
            )
            hasher = hashlib.sha256(repr(facts).encode())
            for data in suite.expected:
                hasher.update(_digest(data))
            self._last = last = prepared, settings, hasher.digest()
        return _digest(last[2] + program.encode("utf-8", "surrogatepass"))


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _restored(row: Row, count: int) -> Verdict:
    """Return the verdict in a row; raise ValueError or TypeError if ``count`` cases cannot have it.

    A row may have been changed on disk, so it must at least be consistent.
    """
    base, plus, failed, details, cpu, memory = row
    names = {base, plus, *(details or ())}
    failure = None
    if failed is not None:
        case, name, detail, line, answer = failed
        actual = None if answer is None else base64.b64decode(answer, validate=True)
        failure = Failure(case, name, detail, line, actual)
        names.add(failure.verdict)
        if not 0 <= failure.case < count:
            raise ValueError("no case of this suite")
    verdict = Verdict(base, plus, failure, None if details is None else tuple(details), cpu, memory)
    if not names <= {None, *VERDICTS} or verdict.passed != (failure is None):
        raise ValueError("no verdict")
    return verdict
