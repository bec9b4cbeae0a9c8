"""Tasks and suites as plain data: staged once by the parent, loaded by the workers."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from evalplus_lite.execution.base import Backend, Ref, Row, WorkerContext
from evalplus_lite.grading.evidence import Evidence, Loss
from evalplus_lite.store.opening import Blobs, Packed
from evalplus_lite.types import Case, Harness, Rule, Suite, Task

MOST_BYTES = 256 << 20
"""Bytes, as staged, of the tasks that one place keeps prepared."""
Made = TypeVar("Made")


def task_row(task: Task) -> Row:
    """Return a task as plain data."""
    return (
        (task.id, task.prompt, task.entry_point, task.harness.row, task.reference),
        (task.grammar, task.generator, list(task.programs)),
        case_rows(task.base),
        case_rows(task.plus),
        task.outputs,
        task.contract,
        task.rule.row,
        task.style,
        dict(task.constraints),
        dict(task.extra),
    )


def task_of(row: Row) -> Task:
    """Return the task of a ``task_row``."""
    named, made, base, plus, outputs, contract, rule, style, constraints, extra = row
    id, prompt, entry_point, harness, reference = named
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        harness=Harness.of(harness),
        reference=reference,
        grammar=made[0],
        generator=made[1],
        programs=tuple(made[2]),
        base=cases_of(base),
        plus=cases_of(plus),
        outputs=tuple(outputs),
        contract=contract,
        rule=Rule.of(rule),
        style=style,
        constraints=constraints,
        extra=extra,
    )


def suite_row(suite: Suite) -> Row:
    """Return a suite as plain data."""
    items = [
        (item.size, item.digest, item.data) if isinstance(item, Packed) else item
        for item in suite.blobs.items()
    ]
    cases = case_rows(suite.cases)
    stress = None if suite.stress is None else suite_row(suite.stress)
    return suite.task_id, cases, items, suite.base_count, dict(suite.provenance), stress


def suite_of(row: Row) -> Suite:
    """Return the suite of a ``suite_row``."""
    task_id, cases, items, base_count, provenance, stress = row
    blobs = Blobs(Packed(*item) if isinstance(item, tuple) else item for item in items)
    within = None if stress is None else suite_of(stress)
    return Suite(task_id, cases_of(cases), blobs, base_count, provenance, within)


def evidence_row(evidence: Evidence) -> Row:
    """Return a suite's evidence as plain data."""
    lost = [(loss.cause, loss.count, loss.example) for loss in evidence.lost]
    facts = evidence.blind, evidence.observed, evidence.weak
    return evidence.cases, evidence.base, lost, *facts


def evidence_of(row: Row) -> Evidence:
    """Return the evidence of an ``evidence_row``."""
    cases, base, lost, *facts = row
    return Evidence(cases, base, tuple(Loss(*each) for each in lost), *facts)


def case_rows(cases: Iterable[Case]) -> Row:
    """Return cases as plain data."""
    return [
        (case.arguments, case.source, case.parent, case.operators, case.reason) for case in cases
    ]


def cases_of(rows: Row) -> tuple[Case, ...]:
    """Return the cases of ``case_rows``."""
    return tuple([Case(*row) for row in rows])


@dataclass
class SharedData:
    """Stages tasks when they are first asked for, each with the suite that was ``given`` for it."""

    backend: Backend
    given: Mapping[str, Suite] = field(default_factory=dict)
    _refs: dict[str, tuple[Task, Ref]] = field(default_factory=dict)

    def ref(self, task: Task) -> Ref:
        """Return where the task is staged."""
        shared = self._refs.get(task.id)
        if shared is None or shared[0] is not task:
            suite = self.given.get(task.id)
            row = task_row(task), None if suite is None else suite_row(suite)
            shared = self._refs[task.id] = task, self.backend.stage(row)
        return shared[1]


def staged(place: WorkerContext, ref: Ref) -> tuple[Task, Suite | None]:
    """Return a task, and its suite if one was given."""
    enabled = gc.isenabled()
    gc.disable()  # the data read here lives long
    try:
        task, suite = place.load(ref)
        return task_of(task), None if suite is None else suite_of(suite)
    finally:
        if enabled:
            gc.enable()


class Prepared(Generic[Made]):
    """A worker's prepared suites; the least recently used go when they take much memory."""

    def __init__(self, *, most: int = MOST_BYTES) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, tuple[int, Made]] = OrderedDict()
        self._size = 0

    def under(self, key: Hashable, size: int, make: Callable[[], Made]) -> Made:
        """Return the object under a key, created if missing; ``size`` in bytes, about."""
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key][1]
        item = make()
        self._made[key] = size, item
        self._size += size
        while self._size > self._most and len(self._made) > 1:
            _, (gone, _) = self._made.popitem(last=False)
            self._size -= gone
        return item
