"""Programs judged one at a time: what ``Verifier``, the server and the adapters are made of."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from evalplus_lite.errors import InputError, UnusableTask, one_of
from evalplus_lite.execution.backends import DEFAULT, make_backend
from evalplus_lite.execution.base import Call, Result, Row
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.records import to_row
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import SharedData
from evalplus_lite.jobs.workers.verification import USUAL
from evalplus_lite.sandbox import config_of
from evalplus_lite.store import cache_folder
from evalplus_lite.store.locks import Lock
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Task

WORK = "evalplus_lite.jobs.workers.verification"


class UnknownTask(InputError):
    """A task, or a data set, that is not loaded."""


class ProgramJudge:
    """Judges programs for the tasks of datasets, and for tasks that come with a program.

    Safe for many threads. Its sandboxes start when they are first needed and end when it is closed,
    or garbage; a process forked from this one has its own.
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
        source = SuiteSource(cache=cache_folder() if cache is None else Path(_path(cache, "cache")))
        folder = None if store is None else os.path.abspath(_path(store, "store"))
        self._call = Call(f"{WORK}:verifying", (source.settings, to_row(settings), folder))
        config = config_of(sandbox, packages)
        self.backend = make_backend(backend, workers, config, preload=[WORK, *preload])
        self._staged: dict[str, SharedData] = {}
        self._lock, self._is_closed = Lock(), False
        self._ending: weakref.finalize | None = None  # type: ignore[type-arg]

    def open(self) -> None:
        """Start the sandboxes if they do not run; SandboxUnavailable if no tier holds here."""
        with self._lock:
            if self._is_closed:
                raise InputError("it is closed", remedy="make another, or enter it again")
            if self._ending is not None:
                return
            self.backend.__enter__()
            try:
                self.backend.tier  # noqa: B018 - raises if there is none
            except BaseException:
                self.backend.close(now=True)
                raise
            self._staged = {
                name: SharedData(self.backend, each.suites) for name, each in self.datasets.items()
            }
            self._ending = weakref.finalize(self, _end, self.backend)
            self._ending.atexit = False  # they notice the end of this process by themselves

    def reopen(self) -> None:
        """Allow what was closed to be used again."""
        self._is_closed = False

    def close(self, *, now: bool = False) -> None:
        """End all sandboxes; programs being judged are finished first, or with ``now`` dropped."""
        with self._lock:
            self._is_closed = True
            if self._ending is not None:
                self._ending.detach()
                self._ending = None
        self.backend.close(now=now)

    def task(self, task_id: str, dataset: str | None = None) -> tuple[Task, str]:
        """Return a task with its dataset's name, the first that has it if none is named.

        Raises UnknownTask, and UnusableTask for one without a usable case.
        """
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
        """Return the tasks of a dataset by id; UnknownTask if it is not loaded."""
        if dataset not in self.tasks:
            remedy = one_of(dataset[:200], self.tasks) if self.tasks else "none is"
            raise UnknownTask(f"no data set {dataset[:200]!r} is loaded", remedy=remedy)
        return self.tasks[dataset]

    def source(self, task: Task, dataset: str) -> Row:
        """Return what ``submit`` takes for a task of a dataset."""
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
        """Have a program judged, as ``workers.verification`` says; programs of one ``key`` meet the
        same worker. ``then`` makes the future's result of the seconds it took and the row."""
        self.open()
        item = (source, program, tuple(options), limits)
        return self.backend.submit(self._call, item, key=key, then=then)


def _path(value: object, name: str) -> str:
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{name} is {value!r:.60}", remedy="give the path of a folder, or None")
    return os.fspath(value)


def _end(backend: Processes) -> None:
    """Close a backend that is garbage, in a new thread: this one may be the backend's own."""
    threading.Thread(target=backend.close, kwargs={"now": True}).start()
