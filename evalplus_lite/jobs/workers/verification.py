"""Verdicts on single programs, for ``Verifier``."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Ref, Row, Work, WorkerContext
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.evidence import blamed, notes
from evalplus_lite.jobs.expected import source_of
from evalplus_lite.jobs.workers.evaluation import failure_row
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import Prepared, staged
from evalplus_lite.jobs.workers.verdict_store import VerdictStore
from evalplus_lite.programs.extraction import extract
from evalplus_lite.sandbox.probe import surroundings
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover, require_recovered
from evalplus_lite.types import Failure, Verdict


def verifying(place: WorkerContext, settings: Row) -> Work:
    """Judge a staged task's program, or describe its failure.

    Of (staged task, program), the verdict as plain data, with notes on the task's suite; of (staged
    task, a failure's fields), the case in words.
    """
    return Verification(place, settings).work


class Verification:
    """Judges by (suite source, ``Settings``, whether programs are raw responses, folder of known
    verdicts or None)."""

    def __init__(self, place: WorkerContext, row: Row) -> None:
        source, settings, self.chat, store = row
        self.store = None
        if store is not None:
            config = place.sandbox.config
            about = (*settings, config, surroundings(config))
            self.store = VerdictStore(Path(store), about)
        self.place, self.source = place, source_of(source)
        self.settings = Settings.of_row(settings)
        self.suites = Prepared(self._prepared)
        self.unusable: dict[Ref, UnusableTask] = {}
        self.told: set[Ref] = set()

    def work(self, item: Row) -> Row:
        """Judge a program, or explain a failure."""
        ref, program = item
        if ref in self.unusable:
            raise self.unusable[ref]
        try:
            prepared = self.suites.of(ref)
        except UnusableTask as error:
            self.unusable[ref] = error
            raise
        if isinstance(program, tuple):
            failure = Failure(*program)
            return failure_row(prepared.suite, Verdict(failure.verdict, None, failure))
        if self.chat:
            program = extract(program, prepared.task, kind="solution").source
        verdict = self._verdict(prepared, program)
        found = []
        if ref not in self.told:
            self.told.add(ref)
            found = notes(self.source.evidence[prepared.task.id])
        failed = None if verdict.failure is None else astuple(verdict.failure)
        cost = verdict.cpu, verdict.memory
        return found, (verdict.base, verdict.plus, failed, verdict.details, *cost)

    def _verdict(self, prepared: PreparedSuite, program: str) -> Verdict:
        known = None if self.store is None else self.store.get(prepared, program)
        if known is not None:
            return known
        details = self.settings.details
        verdict = evaluate_program(self.place.sandbox, prepared, program, details=details)
        if self.store is not None:
            self.store.put(prepared, program, verdict)
        return verdict

    def _prepared(self, ref: Ref) -> PreparedSuite:
        task, given = staged(self.place, ref)
        with blamed(task):
            if has_hidden_cases(task):
                task = require_recovered(recover(self.place.sandbox, task))
        return self.settings.prepared(self.place, self.source, task, given)
