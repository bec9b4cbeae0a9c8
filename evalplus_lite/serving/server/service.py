"""What judges for a server: one backend, the data sets it knows, and the queue before it."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from dataclasses import astuple, dataclass
from typing import Any, Self

from evalplus_lite.execution.base import Call, Row
from evalplus_lite.jobs.verification import ProgramJudge
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.sandbox import preset
from evalplus_lite.serving.requests import Form, source_of
from evalplus_lite.serving.server.queue import FairQueue
from evalplus_lite.serving.server.settings import ServerSettings
from evalplus_lite.tasks import load_dataset
from evalplus_lite.version import __version__

PLAIN = "evalplus_lite.serving.worker"
RUNNING = Call(f"{PLAIN}:running")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program is judged by: ``source`` as ``ProgramJudge`` takes it, ``name`` the task."""

    source: Row
    key: Hashable
    name: str

    @classmethod
    def given(cls, form: Form, data: Row, name: str = "request") -> Asked:
        """Return a task that came with a request; it is read where programs are judged."""
        source = source_of(form, data)
        return cls(source, source[1], name)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a request asks for instead of the usual: seconds a case, bytes, seconds in all."""

    seconds: float | None = None
    memory: int | None = None
    total: float | None = None

    @property
    def row(self) -> Row:
        """The limits as plain data."""
        return self.seconds, self.memory, self.total


@dataclass(frozen=True, slots=True)
class PlainRun:
    """A program to be run as a file is: no verdict comes of it."""

    code: str
    stdin: bytes
    arguments: list[str]
    files: dict[str, bytes]
    wanted: list[str]
    seconds: float
    memory: int


class Service:
    """Judges programs for requests; a context manager. ``verdict`` belongs to one event loop."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.version = __version__
        usual = Settings(preset(settings.limits), settings.memory, weak_tests=settings.weak_tests)
        self.judge = ProgramJudge(
            [load_dataset(name) for name in settings.datasets],
            usual,
            workers=settings.workers,
            sandbox=settings.sandbox,
            packages=settings.packages,
            cache=settings.cache,
            store=settings.store,
            backend=settings.backend,
            preload=[PLAIN, "evalplus_lite.serving.requests"],
        )
        self.backend, self.datasets = self.judge.backend, self.judge.datasets
        self.queue = FairQueue(self.backend.workers, settings.most_waiting)
        self.tier = ""

    def __enter__(self) -> Self:
        """Start the workers; SandboxUnavailable if no tier holds."""
        self.judge.open()
        self.tier = self.backend.tier
        self.queue = FairQueue(self.backend.workers, self.settings.most_waiting)
        return self

    def __exit__(self, *_: object) -> None:
        self.judge.close(now=True)

    def task(self, task_id: str, dataset: str | None = None) -> Asked:
        """Return a task of a data set that was loaded, the first that has it if none is named.

        Raises UnknownTask, and UnusableTask for one without a usable case.
        """
        task, name = self.judge.task(task_id, dataset)
        return Asked(self.judge.source(task, name), (name, task_id), task_id)

    def ids(self, dataset: str) -> list[str]:
        """Return the ids of a data set's tasks; UnknownTask if it is not loaded."""
        return list(self.judge.tasks_of(dataset))

    def known_id(self, dataset: str, id: int | str) -> str:
        """Return the id of a data set's task that is named by it, or by the number at its end."""
        text, ids = str(id), self.ids(dataset)
        if text in ids:
            return text
        found = [each for each in ids if each.rpartition("/")[2] == text]
        return found[0] if len(found) == 1 else text

    def verdict(
        self,
        client: str,
        asked: Asked,
        program: str,
        *,
        options: Sequence[str] = (),
        limits: RequestLimits = RequestLimits(),
    ) -> asyncio.Future[dict[str, Any]]:
        """Have a program judged in its turn; the future gives a ``verdict_row``."""

        def begin() -> Future[tuple[float, Row]]:
            return self.judge.submit(
                asked.source, program, options, limits.row, key=asked.key, then=tuple[float, Row]
            )

        return self.queue.add(client, begin)

    def run(self, client: str, plain: PlainRun) -> asyncio.Future[dict[str, Any]]:
        """Have a program run in its turn; the future gives the row of ``serving.worker``."""
        item = (*astuple(plain), self.settings.most_output)
        return self.queue.add(
            client, lambda: self.backend.submit(RUNNING, item, then=tuple[float, Row])
        )
