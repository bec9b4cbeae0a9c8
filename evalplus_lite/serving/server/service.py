"""What judges for a server: one backend, the data sets it knows, and the queue before it."""

from __future__ import annotations

import asyncio
import hashlib
import marshal
import os
from collections.abc import Hashable, Iterable
from concurrent.futures import Future
from dataclasses import astuple, dataclass
from typing import Any, Self

from evalplus_lite.errors import InputError, UnusableTask, one_of
from evalplus_lite.execution.backends import make_backend
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import SharedData
from evalplus_lite.sandbox import config_of, preset
from evalplus_lite.serving.server.queue import FairQueue
from evalplus_lite.serving.server.settings import ServerSettings
from evalplus_lite.store import cache_folder
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.types import Task
from evalplus_lite.version import __version__

WORK = "evalplus_lite.serving.worker"
PLAIN = "evalplus_lite.serving.worker"
RUNNING = Call(f"{PLAIN}:running")


class UnknownTask(InputError):
    """A request names a task, or a data set, that the server does not have."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program is judged by: ``source`` as ``serving.worker`` takes it, ``name`` the task."""

    source: Row
    key: Hashable
    name: str

    @classmethod
    def given(cls, form: str, data: Row, name: str) -> Asked:
        """Return a task that came with a request; it is read where programs are judged."""
        # In the form without references to equal parts: equal tasks have equal bytes.
        body = marshal.dumps(data, 2)
        digest = hashlib.sha256(form.encode() + body).digest()
        return cls((form, digest, body), digest, name)


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
        self.datasets: dict[str, Dataset] = {}
        for name in settings.datasets:
            dataset = load_dataset(name)
            if dataset.name in self.datasets:
                raise InputError(
                    f"two data sets are named {dataset.name!r}", path=name, remedy="rename the file"
                )
            self.datasets[dataset.name] = dataset
        source = SuiteSource(cache=settings.cache or cache_folder())
        usual = Settings(preset(settings.limits), settings.memory, weak_tests=settings.weak_tests)
        store = None if settings.store is None else os.path.abspath(settings.store)
        self._call = Call(f"{WORK}:serving", (source.settings, usual.to_row(), store))
        config = config_of(settings.sandbox, settings.packages)
        self.backend = make_backend(
            settings.backend, settings.workers, config, preload=[WORK, PLAIN]
        )
        self.queue = FairQueue(self.backend.workers, settings.most_waiting)
        self.tier = ""
        self._staging: dict[str, SharedData] = {}
        self._tasks: dict[str, dict[str, Task]] = {}

    def __enter__(self) -> Self:
        """Start the workers; SandboxUnavailable if no tier holds."""
        self.backend.__enter__()
        try:
            self.tier = self.backend.tier
        except BaseException:
            self.backend.close(now=True)
            raise
        self.queue = FairQueue(self.backend.workers, self.settings.most_waiting)
        for name, dataset in self.datasets.items():
            self._staging[name] = SharedData(self.backend, dataset.suites)
            self._tasks[name] = {task.id: task for task in dataset.tasks}
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close(now=True)

    def task(self, task_id: str, dataset: str | None = None) -> Asked:
        """Return a task of a data set that was loaded, the first that has it if none is named.

        Raises UnknownTask, and UnusableTask for one without a usable case.
        """
        if dataset is not None and dataset not in self.datasets:
            raise UnknownTask(
                f"no data set {dataset[:200]!r} is loaded",
                remedy=one_of(dataset[:200], self.datasets) if self.datasets else "none is",
            )
        names = list(self.datasets) if dataset is None else [dataset]
        for name in names:
            task = self._tasks[name].get(task_id)
            if task is not None:
                where = self._staging[name].ref(task)
                source = ("staged", where, self.datasets[name].has_plus)
                return Asked(source, (name, task_id), task_id)
        for name in names:
            for bad in self.datasets[name].unusable:
                if bad.task_id == task_id:
                    raise UnusableTask(bad.task_id, bad.cause, bad.detail)
        raise UnknownTask(f"no task {task_id[:200]!r} in {', '.join(names) or 'any data set'}")

    def ids(self, dataset: str) -> list[str]:
        """Return the ids of a data set's tasks; UnknownTask if it is not loaded."""
        if dataset not in self._tasks:
            raise UnknownTask(f"no data set {dataset[:200]!r} is loaded")
        return list(self._tasks[dataset])

    def known_id(self, dataset: str, id: int | str) -> str:
        """Return the id of a data set's task that is named by it, or by the number at its end."""
        text, ids = str(id), self.ids(dataset)
        if text in self._tasks[dataset]:
            return text
        found = [each for each in ids if each.rpartition("/")[2] == text]
        return found[0] if len(found) == 1 else text

    def verdict(
        self,
        client: str,
        asked: Asked,
        program: str,
        *,
        options: Iterable[str] = (),
        limits: RequestLimits = RequestLimits(),
    ) -> asyncio.Future[dict[str, Any]]:
        """Have a program judged in its turn; the future gives the row of ``serving.worker``."""
        item = (asked.source, program, tuple(options), limits.row)
        return self.queue.add(client, lambda: self._begin(self._call, item, asked.key))

    def run(self, client: str, plain: PlainRun) -> asyncio.Future[dict[str, Any]]:
        """Have a program run in its turn; the future gives the row of ``serving.worker``."""
        item = (*astuple(plain), self.settings.most_output)
        return self.queue.add(client, lambda: self._begin(RUNNING, item, None))

    def _begin(self, call: Call, item: Row, key: Hashable) -> Future[tuple[float, Row]]:
        return self.backend.submit(call, item, key=key, then=tuple[float, Row])
