"""Verdicts on single programs: of tasks that are staged, and of tasks that come with a program."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import astuple, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.execution.channel import unpacked
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.evidence import blamed, notes
from evalplus_lite.jobs.expected import SuiteSource, source_of
from evalplus_lite.jobs.workers.evaluation import failure_row
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import Prepared, staged
from evalplus_lite.jobs.workers.verdict_store import VerdictStore
from evalplus_lite.programs.extraction import extract
from evalplus_lite.sandbox import Limits, Preset
from evalplus_lite.sandbox.probe import surroundings
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover, require_recovered
from evalplus_lite.types import Failure, Suite, Task, Verdict

USUAL = None, None, None
"""The limits of a program for which no others are requested."""
MOST_STORES = 4
"""Stores of verdicts that are open at a time: one for each choice of limits."""
REFERENCE_LIMITS = Limits(cpu=10.0, load=10.0, total=60.0)
"""What the reference of a task that came with a program may use: its author is not known."""


@dataclass(frozen=True, slots=True)
class RequestedTask:
    """A task that came with a program, and the cases of each of its tests: all have to pass.

    ``inside`` counts the tests that the program's own process decides, at least in part: those that
    could not be divided, and comparisons of two computed values, as by ``np.allclose``. A program
    made to deceive could pass them.
    """

    task: Task
    tests: tuple[range, ...] = ()
    inside: int = 0
    suite: Suite | None = None
    has_plus: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A suite that is ready to run, with what its users should know of it."""

    suite: PreparedSuite
    notes: list[str]
    requested: RequestedTask


def verifying(place: WorkerContext, settings: Row) -> Work:
    """Return the seconds and the verdict, as plain data, of (source, program, options, limits).

    A source is ("staged", where, whether there are plus cases), or (maker, digest, data): a
    function, as ``module:function``, that makes a ``RequestedTask`` from the data. Limits are
    (seconds, bytes, seconds in all), None for the usual ones. Options are words: ``chat``,
    ``details``, ``explain``, ``tests``, ``program``, and ``verdict`` for all fields of a Verdict.
    A failure's fields in place of the program give the case in words.
    """
    return Verification(place, settings).work


class Verification:
    """Judges by (suite source, ``Settings``, folder of known verdicts or None)."""

    def __init__(self, place: WorkerContext, row: Row) -> None:
        source, settings, store = row
        self.place, self.source = place, source_of(source)
        self.settings = from_row(Settings, settings)
        self.folder = None if store is None else Path(store)
        self.stores: OrderedDict[Settings, VerdictStore] = OrderedDict()
        self.prepared: Prepared[Ready | UnusableTask] = Prepared()

    def work(self, item: Row) -> Row:
        """Judge a program, or explain a failure."""
        start = time.monotonic()
        source, program, options, limits = item
        settings = self._limited(limits)
        ready = self.ready(source, settings)
        if isinstance(program, tuple):
            failure = Failure(*program)
            verdict = Verdict(failure.verdict, None, failure)
            return time.monotonic() - start, failure_row(ready.suite.suite, verdict)
        if "chat" in options:
            program = extract(program, ready.suite.task, kind="solution").source
        details = "details" in options or "tests" in options
        verdict, is_stored = self._verdict(ready.suite, settings, program, details)
        row = verdict_row(ready, verdict, program, options) | {"stored": is_stored}
        return time.monotonic() - start, row

    def ready(self, source: Row, settings: Settings) -> Ready:
        """Return a task's suite, prepared now or earlier; raises UnusableTask if it has none."""
        kind, name, data = source
        if kind == "staged":
            settings = replace(settings, has_plus=data)
        size = name[1] if kind == "staged" else len(data)

        def prepare() -> Ready | UnusableTask:
            try:
                return self._prepare(source, settings)
            except UnusableTask as error:  # finding that out may have taken a run of the reference
                return error

        suite = self.prepared.under((kind, name, settings), size, prepare)
        if isinstance(suite, UnusableTask):
            raise suite.with_traceback(None)
        return suite

    def _prepare(self, source: Row, settings: Settings) -> Ready:
        kind, name, data = source
        if kind == "staged":
            suites = self.source
            task, suite = staged(self.place, name)
            with blamed(task):
                if has_hidden_cases(task):
                    task = require_recovered(recover(self.place.sandbox, task))
            requested = RequestedTask(task, (), 0, suite, settings.has_plus)
        else:
            # It knows no other task: two requests may name theirs the same.
            suites = SuiteSource(cache=self.source.cache, limits=REFERENCE_LIMITS)
            module, _, function = kind.partition(":")
            requested = getattr(import_module(module), function)(unpacked(data))
            settings = replace(settings, has_plus=requested.has_plus)
        task = requested.task
        prepared = settings.prepared(self.place, suites, task, requested.suite)
        return Ready(prepared, list(notes(suites.evidence[task.id])), requested)

    def _limited(self, limits: Row) -> Settings:
        seconds, memory, total = limits
        settings = self.settings
        if seconds is not None:
            settings = replace(settings, preset=Preset(seconds, settings.preset.factor))
        if memory is not None:
            settings = replace(settings, memory=memory)
        return settings if total is None else replace(settings, total=total)

    def _verdict(
        self, prepared: PreparedSuite, settings: Settings, program: str, details: bool
    ) -> tuple[Verdict, bool]:
        # A verdict with details is another verdict: it ran all cases.
        store = self._store(replace(settings, details=details))
        verdict_stored = None if store is None else store.get(prepared, program)
        if verdict_stored is not None:
            return verdict_stored, True
        verdict = evaluate_program(self.place.sandbox, prepared, program, details=details)
        if store is not None:
            store.put(prepared, program, verdict)
        return verdict, False

    def _store(self, settings: Settings) -> VerdictStore | None:
        if self.folder is None:
            return None
        if settings not in self.stores:
            config = self.place.sandbox.config
            about = (*to_row(settings), config, surroundings(config))
            self.stores[settings] = VerdictStore(self.folder, about)
            if len(self.stores) > MOST_STORES:
                self.stores.popitem(last=False)[1].close()
        self.stores.move_to_end(settings)
        return self.stores[settings]


def verdict_row(ready: Ready, verdict: Verdict, program: str, options: Row) -> dict[str, Any]:
    """Return a verdict as JSON's types; with the option ``verdict`` as its own fields."""
    failure, requested = verdict.failure, ready.requested
    row: dict[str, Any] = {"notes": ready.notes} if ready.notes else {}
    if "verdict" in options:
        return {"verdict": astuple(verdict), **row}
    row |= {"passed": verdict.passed, "base": verdict.base, "plus": verdict.plus, "failure": None}
    row["seconds"] = verdict.cpu
    if failure is not None and "explain" in options:
        row["failure"] = failure_row(ready.suite.suite, verdict)
    elif failure is not None:
        case, name, detail, line, _ = astuple(failure)
        row["failure"] = {"case": case, "verdict": name, "detail": detail, "line": line}
    if requested.inside:
        row["inside"] = requested.inside
    if verdict.details is not None and "details" in options:
        row["details"] = list(verdict.details)
    if verdict.details is not None and "tests" in options:
        names = verdict.details
        row["tests"] = [
            next((names[case] for case in cases if names[case] != "pass"), "pass")
            for cases in requested.tests or [range(n, n + 1) for n in range(len(names))]
        ]
    if "program" in options:
        row["program"] = program
    return row
