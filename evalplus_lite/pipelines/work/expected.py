"""Work on suites: what a task's suite rests on."""

from __future__ import annotations

import contextlib
from dataclasses import astuple
from pathlib import Path

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.work.staging import evidence_row, staged, suite_row
from evalplus_lite.sandbox import Limits


def source_of(settings: Row) -> SuiteSource:
    """Return where suites come from, as ``SuiteSource.settings`` says."""
    cache, limits = settings
    return SuiteSource(cache=None if cache is None else Path(cache), limits=Limits(*limits))


def found_evidence(source: SuiteSource, task_id: str) -> Row:
    """Return what is known of a task's suite as plain data: evidence, and why it is unusable."""
    evidence, bad = source.evidence.get(task_id), source.unusable.get(task_id)
    return (
        None if evidence is None else evidence_row(evidence),
        None if bad is None else astuple(bad),
    )


def weighing(place: Place, settings: Row) -> Work:
    """Of a staged task, what its suite rests on, as ``found_evidence`` says."""
    source = source_of(settings)

    def weigh(item: Row) -> Row:
        task, given = staged(place, item)
        known = source.known(task) if given is None else None
        if known is not None:
            return evidence_row(known), None
        with contextlib.suppress(UnusableTask):
            source.usable(place.sandbox, task, given)
        return found_evidence(source, task.id)

    return weigh


def answering(place: Place, settings: Row) -> Work:
    """Of a staged task, what its suite rests on, and the suite: True if it was given, None if there
    is none."""
    source = source_of(settings)

    def answer(item: Row) -> Row:
        task, given = staged(place, item)
        try:
            suite = source.usable(place.sandbox, task, given).suite
        except UnusableTask:
            return found_evidence(source, task.id), None
        return found_evidence(source, task.id), True if given else suite_row(suite)

    return answer
