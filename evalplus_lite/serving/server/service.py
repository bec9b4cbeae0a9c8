"""The judging service of a server: settings, one backend, data sets, and the queue."""

from __future__ import annotations

import asyncio
import ipaddress
import tempfile
from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Self

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.verification import ProgramJudge
from evalplus_lite.sandbox import Tier, preset
from evalplus_lite.serving.server.queue import FairQueue
from evalplus_lite.serving.worker import source_of
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.trainers import Form
from evalplus_lite.version import __version__

LEAST_TOKEN = 16
"""Minimum length of a token: a shorter one can be guessed."""
BYTES_A_VALUE = 16
"""Bytes of the maximum request for each value it may hold. As objects, values may need ten times
the memory of JSON, and creating them blocks all other requests."""
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server listens and judges, and its limits.

    ``tokens`` has (token, client name) pairs; it may be empty on loopback only. ``most_programs``
    limits one request and ``most_waiting`` the queue: more programs are rejected, never kept.
    ``most_body`` and ``most_buffered`` are bytes of one request, and of all requests being read or
    answered. ``most_seconds`` is the most CPU time per case that a request may ask for.
    ``body_seconds``: how long a request's body may take to arrive; ``keep_seconds``: how long an
    idle connection stays open; ``weak_tests``: whether to count unit tests that a program can pass
    by guessing; ``drain_seconds``: how long requests may take to finish at shutdown. Clients that
    are slow in other ways are left to a proxy in front.
    """

    datasets: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[tuple[str, str], ...] = ()
    workers: int | None = None
    backend: str = "processes"
    sandbox: Tier = "auto"
    packages: tuple[str, ...] = ()
    limits: str = "default"
    memory: int = 1 << 30
    weak_tests: bool = False
    store: Path | None = None
    cache: Path | None = None
    most_body: int = 16 << 20
    most_buffered: int = 256 << 20
    most_programs: int = 1024
    most_waiting: int = 8192
    most_connections: int = 4096
    most_seconds: float = 60.0
    most_memory: int = 4 << 30
    most_output: int = 1 << 20
    body_seconds: float = 30.0
    keep_seconds: float = 60.0
    drain_seconds: float = 60.0

    @property
    def most_values(self) -> int:
        """The maximum number of values in one request."""
        return self.most_body // BYTES_A_VALUE

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return self.host in LOCAL_NAMES or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def check(self) -> None:
        """Raise InputError if a server must not, or cannot, start with these settings."""
        if not self.is_local and not self.tokens:
            raise InputError(
                f"{self.host} can be reached from other machines, and there is no token",
                remedy="give --token-file, or EVALPLUS_LITE_TOKEN; or leave --host out",
            )
        for token, name in self.tokens:
            if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
                raise InputError(
                    f"the token of {name!r} is shorter than {LEAST_TOKEN} characters, or not ASCII",
                    remedy="openssl rand -hex 32 makes one",
                )
        if self.store is not None:
            _require_folder(self.store)


def _require_folder(path: Path) -> None:
    """Raise InputError if verdicts cannot be stored in a folder: all would be judged again."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        problem = f"verdicts cannot be kept there: {error.strerror or error}"
        raise InputError(problem, path=path, remedy="give --store another folder") from None


def read_tokens(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the (token, client name) pairs in a file with lines ``token`` or ``name:token``."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"cannot be read: {problem}", path=path) from None
    found = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            name, has_name, token = text.rpartition(":")
            found.append((token.strip(), name.strip() if has_name else f"client {number}"))
    if not found:
        raise InputError("holds no token", path=path, remedy="a line each: token, or name:token")
    return tuple(found)


WORKER = "evalplus_lite.serving.worker"
RUNNING = Call(f"{WORKER}:running")


@dataclass(frozen=True, slots=True)
class TaskSource:
    """A task to judge by: ``source`` in the form that ``ProgramJudge`` takes, and its ``name``."""

    source: Row
    key: Hashable
    name: str

    @classmethod
    def given(cls, form: Form, data: Row, name: str = "request") -> TaskSource:
        """Return a task from a request; it is parsed where programs are judged."""
        source = source_of(form, data)
        return cls(source, source[1], name)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits that a request sets: seconds per case, bytes of memory, total seconds."""

    seconds: float | None = None
    memory: int | None = None
    total: float | None = None


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
            preload=[WORKER],
        )
        self.backend, self.datasets = self.judge.backend, self.judge.datasets
        self.queue: FairQueue  # built on entry, because only then a cluster's workers are known
        self.tier = ""

    def __enter__(self) -> Self:
        """Start the workers; raise SandboxUnavailable if no tier holds."""
        self.judge.open()
        self.tier = self.backend.tier
        self.queue = FairQueue(self.backend.workers, self.settings.most_waiting)
        return self

    def __exit__(self, *_: object) -> None:
        self.judge.close(now=True)

    @property
    def identity(self) -> dict[str, str]:
        """The server's version and tier, as every answer has them."""
        return {"tier": self.tier, "version": self.version}

    def task(self, task_id: str, dataset: str | None = None) -> TaskSource:
        """Return a task of a loaded data set, by default of the first that has it.

        Raises UnknownTask, and UnusableTask for one without a usable case.
        """
        task, name = self.judge.task(task_id, dataset)
        return TaskSource(self.judge.source(task, name), (name, task_id), task_id)

    def ids(self, dataset: str) -> list[str]:
        """Return the ids of a data set's tasks; raise UnknownTask if it is not loaded."""
        return list(self.judge.tasks_of(dataset))

    def known_id(self, dataset: str, id: int | str) -> str:
        """Return the full id of a data set's task, given its id or the number at its end."""
        text, ids = str(id), self.ids(dataset)
        if text in ids:
            return text
        found = [each for each in ids if each.rpartition("/")[2] == text]
        return found[0] if len(found) == 1 else text

    def verdict(
        self,
        client: str,
        asked: TaskSource,
        program: str,
        *,
        options: Sequence[str] = (),
        limits: RequestLimits = RequestLimits(),
    ) -> asyncio.Future[dict[str, Any]]:
        """Queue a program to be judged; the future returns a ``verdict_row``."""

        work = asked.source, program, options, astuple(limits)
        return self.queue.add(
            client, lambda: self.judge.submit(*work, key=asked.key, then=tuple[float, Row])
        )

    def run(self, client: str, item: Row) -> asyncio.Future[dict[str, Any]]:
        """Queue an item for ``worker.running``; the future returns the row."""
        return self.queue.add(
            client, lambda: self.backend.submit(RUNNING, item, then=tuple[float, Row])
        )
