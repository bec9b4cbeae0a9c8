"""Tasks to augmented suites: one task at a time is the unit, wherever it is worked on.

Its suite depends on (seed, task, programs) alone, so any number of workers gives the same file, and
a journal of finished tasks lets a killed run go on.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.work.augmentation import Augmented, Budget, augment_task, augmenting
from evalplus_lite.pipelines.work.staging import Staging, case_rows
from evalplus_lite.types import Case, Task, Unusable

__all__ = ["Augmented", "Budget", "FinishedTask", "SeedSource", "augment", "augment_task"]


class SeedSource(Protocol):
    """Gives further seeds for tasks: of a language model, say."""

    def each(self, tasks: Iterable[Task], backend: Backend) -> Iterator[Sequence[Case]]:
        """Yield the seeds of each task, in order; what has to be run is run by the backend."""
        ...


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """What is known of a task whose suite is made (``facts``, as ``work.augmentation.finished``
    says), and the suite itself: its row of a suite file, as gzip."""

    facts: Mapping[str, Any]
    suite: bytes

    @property
    def task_id(self) -> str:
        """The task's id."""
        return str(self.facts["task_id"])

    def to_row(self) -> dict[str, Any]:
        """Return it as a row of a journal."""
        return {**self.facts, "suite": base64.b64encode(self.suite).decode()}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> FinishedTask:
        """Return what ``to_row`` made a row of."""
        facts = dict(row)
        return cls(facts, base64.b64decode(facts.pop("suite"), validate=True))


def augment(
    tasks: Iterable[Task],
    backend: Backend,
    *,
    seed: int,
    budget: Budget,
    seeds: SeedSource | None = None,
    samples: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Sequence[str]] | None = None,
    done: Mapping[str, FinishedTask] | None = None,
    finished: Callable[[FinishedTask], None] | None = None,
    left_out: Callable[[Unusable], None] | None = None,
    progress: Progress | None = None,
) -> list[FinishedTask]:
    """Augment every task; ``done`` are taken over, ``finished`` is told of each new one.

    ``samples`` and ``wrong`` are programs by task, used as ``augment_task`` says.
    A task that cannot be used is left out; ``left_out`` is told of it.
    """
    progress = progress or Silent()
    found, new = dict(done or {}), deque[Task]()
    staging = Staging(backend)
    order = list(tasks)
    call = Call(f"{augmenting.__module__}:{augmenting.__name__}", (seed, budget.to_row()))

    def items() -> Iterator[Row]:
        left = [task for task in order if task.id not in found]
        given = iter(seeds.each(left, backend)) if seeds is not None else None
        for task in left:
            new.append(task)
            cases = () if given is None else next(given)
            programs = ((samples or {}).get(task.id, ()), (wrong or {}).get(task.id, ()))
            yield staging.ref(task), case_rows(cases), *map(list, programs)

    progress.advance(len(found))
    for facts, rest in backend.map(call, items()):
        task = new.popleft()
        progress.advance()
        if facts is None:
            if left_out is not None:
                left_out(Unusable(*rest))
            continue
        found[task.id] = FinishedTask(facts, rest)
        if finished is not None:
            finished(found[task.id])
    return [found[task.id] for task in order if task.id in found]
