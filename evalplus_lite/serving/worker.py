"""Verdicts for a server: on staged tasks, and on tasks that come with the request."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.execution.channel import unpacked
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.evidence import blamed, notes
from evalplus_lite.jobs.expected import SuiteSource, source_of
from evalplus_lite.jobs.workers.evaluation import failure_row
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import Prepared, staged
from evalplus_lite.jobs.workers.verdict_store import VerdictStore
from evalplus_lite.programs.extraction import extract
from evalplus_lite.sandbox import Inputs, Limits, Preset
from evalplus_lite.sandbox.guest_programs import plain_program
from evalplus_lite.sandbox.probe import surroundings
from evalplus_lite.sandbox.streams import Streams
from evalplus_lite.serving.requests import RequestedTask, asserting, calling, printing
from evalplus_lite.tasks.loading import dataset_of_row
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover, require_recovered
from evalplus_lite.types import Crashed, OutOfMemory, Returned, Suite, Task, TimedOut, Verdict
from evalplus_lite.values import wire

# Programs run as an interpreter runs a file: what they print, and how they end. No verdict.

ANSWER_BYTES = 1 << 20
"""What an answer holds beside the files that were asked for: their names."""
FILES = 16
"""All files that a run returns may be so many times as large as one."""


def running(place: WorkerContext, settings: Row) -> Work:
    """Of a ``run_row``, the seconds that it took and what came of it, as JSON's types.

    ``ended`` is ``exit`` (with the ``exit_code``), ``timeout``, ``memory`` or ``crash`` (with what
    killed it as ``detail``); of each stream there are the first characters as text and the bytes
    in all; ``files`` are bytes by path, None for one that is not there or too large.
    """

    def run(item: Row) -> Row:
        code, stdin, arguments, files, wanted, seconds, memory, most = item
        streams = Streams(stdin, most)
        program = plain_program(streams)
        try:
            inputs = Inputs.of([(code, arguments, files, wanted, most, FILES * most)], private=True)
        except CodecError as error:
            raise InputError(f"the program or its files: {error}") from None
        output = ANSWER_BYTES + FILES * most
        limits = Limits(
            cpu=seconds, memory=memory, output=output, wait=max(2.0, seconds), total=seconds + 5.0
        )
        begun = time.monotonic()
        try:
            found = place.sandbox.run(program, inputs, limits)
        finally:
            streams.end()
        row = _run_row(found.outcomes[0], wanted)
        row |= {"cpu": found.cpu, "seconds": time.monotonic() - begun}
        for name, printed, size in zip(
            ("stdout", "stderr"), streams.printed, streams.sizes, strict=True
        ):
            row[name] = printed.decode("utf-8", "replace")
            row[f"{name}_bytes"] = size
            row[f"{name}_cut"] = size > len(printed)
        return time.monotonic() - begun, row

    return run


def _run_row(outcome: object, wanted: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"ended": "crash", "exit_code": None, "detail": str(outcome), "files": {}}
    match outcome:
        case Returned(data):
            try:
                status, files = _answer(wire.decode(data), wanted)
            except (CodecError, ValueError, TypeError):
                return row | {"detail": "the program wrote to the result channel"}
            return row | {"ended": "exit", "exit_code": status, "detail": "", "files": files}
        case Crashed(exit_code=int() as status):
            return row | {"ended": "exit", "exit_code": status, "detail": ""}
        case Crashed(signal=int() as number):
            return row | {"exit_code": -number}
        case TimedOut():
            return row | {"ended": "timeout"}
        case OutOfMemory():
            return row | {"ended": "memory"}
    return row


def _answer(value: object, wanted: list[str]) -> tuple[int, dict[str, bytes | None]]:
    """Return what the guest answered, which may be anything that the program chose."""
    if type(value) is str:
        raise InputError(value[:300], remedy="files need the sandbox tier namespaces")
    if type(value) is not list or len(value) != 2:
        raise ValueError("no answer of ours")
    status, files = value
    if type(status) is not int or type(files) is not dict:
        raise ValueError("no answer of ours")
    found = {name: files[name] for name in wanted if type(files.get(name)) is bytes}
    return status & 0xFF, {name: found.get(name) for name in wanted}


SOLUTION = re.compile(r"^class Solution\b", re.MULTILINE)
MOST_STORES = 4
"""Stores of verdicts that are open at a time: one for each choice of limits."""
REFERENCE_LIMITS = Limits(cpu=10.0, load=10.0, total=60.0)
"""What the reference of a task that came with a request may use: its author is not known."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A suite that is ready, what should be known of it, and the cases of each test, if asked."""

    suite: PreparedSuite
    notes: tuple[str, ...]
    tests: tuple[range, ...] = ()
    inside: int = 0


def serving(place: WorkerContext, settings: Row) -> Work:
    """Of (source, program, options, limits), the seconds it took and the verdict as JSON's types.

    A source is ("staged", where, whether there are plus cases), or (form, digest, data): a task
    that came with the request, as ``FORMS`` has it. Options are words: ``chat``, ``details``,
    ``explain``, ``tests``, ``program``. Limits are (seconds, bytes, seconds in all), None for the
    usual ones.
    """
    return Serving(place, settings).work


class Serving:
    """Judges by (suite source, ``Settings``, folder of known verdicts or None)."""

    def __init__(self, place: WorkerContext, row: Row) -> None:
        source, settings, store = row
        self.place, self.source = place, source_of(source)
        self.settings = Settings.of_row(settings)
        self.folder = None if store is None else Path(store)
        self.stores: OrderedDict[Settings, VerdictStore] = OrderedDict()
        self.ready: Prepared[Ready] = Prepared(self._none)

    def work(self, item: Row) -> Row:
        """Judge one program."""
        begun = time.monotonic()
        row = self._judged(*item)
        return time.monotonic() - begun, row

    def _judged(self, source: Row, program: str, options: Row, limits: Row) -> dict[str, Any]:
        settings = self._limited(limits)
        form, *rest = source
        key: tuple[Any, ...] = (form, rest[0], settings)
        if form == "staged":
            where, has_plus = rest
            settings = replace(settings, has_plus=has_plus)
            key = (form, where, settings)
            ready = self.ready.under(key, where[1], lambda: self._of_staged(where, settings))
        else:
            data = rest[1]
            if form == "calls":
                is_method = _has_solution(program)
                key = (*key, is_method)
                ready = self.ready.under(
                    key, len(data), lambda: self._of_calls(data, settings, is_method)
                )
            else:
                ready = self.ready.under(
                    key, len(data), lambda: self._of_form(form, data, settings)
                )
        if "chat" in options:
            program = extract(program, ready.suite.task, kind="solution").source
        details = "details" in options or "tests" in options
        verdict, is_known = self._verdict(ready.suite, settings, program, details)
        return _row(ready, verdict, is_known, program, options)

    def _limited(self, limits: Row) -> Settings:
        seconds, memory, total = limits
        found = self.settings
        if seconds is not None:
            found = replace(found, preset=Preset(seconds, found.preset.factor))
        if memory is not None:
            found = replace(found, memory=memory)
        return found if total is None else replace(found, total=total)

    def _verdict(
        self, prepared: PreparedSuite, settings: Settings, program: str, details: bool
    ) -> tuple[Verdict, bool]:
        store = self._store(replace(settings, details=details))
        known = None if store is None else store.get(prepared, program)
        if known is not None:
            return known, True
        verdict = evaluate_program(self.place.sandbox, prepared, program, details=details)
        if store is not None:
            store.put(prepared, program, verdict)
        return verdict, False

    def _store(self, settings: Settings) -> VerdictStore | None:
        if self.folder is None:
            return None
        if settings not in self.stores:
            config = self.place.sandbox.config
            about = (*settings.to_row(), config, surroundings(config))
            self.stores[settings] = VerdictStore(self.folder, about)
            if len(self.stores) > MOST_STORES:
                self.stores.popitem(last=False)[1].close()
        self.stores.move_to_end(settings)
        return self.stores[settings]

    def _of_staged(self, where: Row, settings: Settings) -> Ready:
        task, given = staged(self.place, where)
        with blamed(task):
            if has_hidden_cases(task):
                task = require_recovered(recover(self.place.sandbox, task))
        return self._ready(self.source, task, given, settings)

    def _of_form(self, form: str, data: bytes, settings: Settings) -> Ready:
        given = unpacked(data)
        if form == "row":
            dataset = dataset_of_row(given)
            task = dataset.tasks[0]
            settings = replace(settings, has_plus=dataset.has_plus)
            return self._ready(self._fresh(), task, dataset.suites.get(task.id), settings)
        return self._of_request(FORMS[form](given), settings)

    def _of_calls(self, data: bytes, settings: Settings, is_method: bool) -> Ready:
        name, inputs, outputs = unpacked(data)
        return self._of_request(calling(name, inputs, outputs, is_method=is_method), settings)

    def _of_request(self, found: RequestedTask, settings: Settings) -> Ready:
        settings = replace(settings, has_plus=False)
        ready = self._ready(self._fresh(), found.task, None, settings)
        return replace(ready, tests=found.tests, inside=found.inside)

    def _ready(
        self, source: SuiteSource, task: Task, given: Suite | None, settings: Settings
    ) -> Ready:
        prepared = settings.prepared(self.place, source, task, given)
        return Ready(prepared, tuple(notes(source.evidence[task.id])))

    def _fresh(self) -> SuiteSource:
        """Return a source that knows no other task: two requests may name theirs the same."""
        return SuiteSource(cache=self.source.cache, limits=REFERENCE_LIMITS)

    @staticmethod
    def _none(_: Row) -> Ready:
        raise AssertionError("suites are kept under more than where they are staged")


FORMS: dict[str, Callable[[Any], RequestedTask]] = {
    "assertions": asserting,
    "printed": lambda data: printing(*data[:2], tolerance=data[2]),
}
"""What tasks in requests may be, beside rows of a known format and calls."""


def _has_solution(program: str) -> bool:
    """Return whether a program, or an answer that holds one, has the class ``Solution``."""
    return SOLUTION.search(program) is not None


def _row(
    ready: Ready, verdict: Verdict, is_known: bool, program: str, options: Row
) -> dict[str, Any]:
    failure = verdict.failure
    row: dict[str, Any] = {
        "passed": verdict.passed,
        "base": verdict.base,
        "plus": verdict.plus,
        "failure": None,
        "seconds": verdict.cpu,
        "stored": is_known,
    }
    if failure is not None and "explain" in options:
        row["failure"] = failure_row(ready.suite.suite, verdict)
    elif failure is not None:
        case, name, detail, line, _ = astuple(failure)
        row["failure"] = {"case": case, "verdict": name, "detail": detail, "line": line}
    if ready.notes:
        row["notes"] = list(ready.notes)
    if ready.inside:
        row["inside"] = ready.inside
    if verdict.details is not None and "details" in options:
        row["details"] = list(verdict.details)
    if verdict.details is not None and "tests" in options:
        found = verdict.details
        row["tests"] = [
            next((found[case] for case in each if found[case] != "pass"), "pass")
            for each in ready.tests or [range(n, n + 1) for n in range(len(found))]
        ]
    if "program" in options:
        row["program"] = program
    return row
