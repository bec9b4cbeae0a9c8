"""Tasks and suites as plain data: staged once by the parent, loaded by the workers."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from evalplus_lite.execution.base import Backend, Ref, WorkerContext
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.types import Suite, Task

MOST_BYTES = 256 << 20
"""Bytes, as staged, of the tasks that one place keeps prepared."""
Made = TypeVar("Made")


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
            row = to_row(task), None if suite is None else to_row(suite)
            shared = self._refs[task.id] = task, self.backend.stage(row)
        return shared[1]


def staged(place: WorkerContext, ref: Ref) -> tuple[Task, Suite | None]:
    """Return a task, and its suite if one was given."""
    enabled = gc.isenabled()
    gc.disable()  # the data read here lives long
    try:
        task, suite = place.load(ref)
        return from_row(Task, task), None if suite is None else from_row(Suite, suite)
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
