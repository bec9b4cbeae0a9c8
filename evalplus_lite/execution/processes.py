"""The default backend: supervisor processes, each with a sandbox; this process deals and collects.

Items are packed when they are submitted and rows unpacked when they arrive. Short items are sent
several at a time, and programs never come near. So this process does little work for each item, and
no supervisor waits for it, however busy it is with other things.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import marshal
import os
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import IO, Any, Protocol, Self

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Ref, Result, Row
from evalplus_lite.execution.channel import decoded, encoded
from evalplus_lite.execution.job import Defect, Held, Job, Lost, TimedCall
from evalplus_lite.execution.worker_pool import WorkerPool
from evalplus_lite.sandbox import SandboxConfig, probe
from evalplus_lite.sandbox.worker_handle import require_file_size
from evalplus_lite.store.locks import Lock
from evalplus_lite.store.writing import spooling

# How many workers there are to be.

MOST_A_PROCESSOR = 16
"""Workers for each processor beyond which more only take memory and time from each other."""


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def check_workers(workers: object) -> int:
    """Return how many workers to use, one a processor for None; InputError if it makes no sense."""
    if workers is None:
        return default_workers()
    most = MOST_A_PROCESSOR * default_workers()
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise InputError(
            f"workers is {workers!r}", remedy="give a whole number, such as 4, or None"
        )
    if workers < 1:
        raise InputError(f"{workers} workers", remedy="at least 1 is needed")
    if workers > most:
        raise InputError(
            f"{workers} workers on {default_workers()} processors", remedy=f"at most {most} here"
        )
    return workers


LOOKAHEAD = 64
"""Items taken ahead of the oldest unfinished one, per worker: bounds the memory of waiting results,
while one slow item does not block the other workers."""
MOST_HELD = 32 << 20
"""Bytes of items and rows together that may wait."""


class Workforce(Protocol):
    """The workers for jobs: the supervisors of this machine, or those of others."""

    tier_known: threading.Event
    lost: int

    @property
    def pids(self) -> list[int]:
        """Supervisors on this machine."""
        ...

    def add(self, job: Job) -> bool:
        """Have an item worked on; False if this is closing."""
        ...

    def close(self, *, now: bool) -> None:
        """Cancel jobs that have not started, and finish the rest or fail them with ``now``; end all
        workers.
        """
        ...

    def detach(self) -> None:
        """Leave the workers to the parent; for a forked child."""
        ...


class Processes:
    """Runs calls in supervisor processes; a context manager, safe for threads.

    A process forked while it is open gets supervisors of its own, started when first used; closing
    it there leaves the parent's alone. ``preload`` names modules that the work will need: they are
    imported once for all supervisors.
    """

    lookahead = LOOKAHEAD

    @property
    def most_held(self) -> int:
        """Bytes of items and rows together that may wait."""
        return MOST_HELD

    def __init__(
        self,
        workers: int | None = None,
        config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
        *,
        preload: Sequence[str] = (),
    ) -> None:
        self.workers = check_workers(workers)
        self.config, self.preload = config, tuple(preload)
        self._lock = Lock()
        self._crew: Workforce | None = None
        self._stage: IO[bytes] | None = None
        self._numbers = itertools.count()
        self._calls: dict[bytes, TimedCall] = {}
        self._staged: dict[bytes, Ref] = {}
        _backends.add(self)

    def __enter__(self) -> Self:
        # A worker would fail on it as well, but later and for each item.
        require_file_size()
        with spooling("tasks"):
            self._stage = _kept_file()
        # References of an earlier opening point into a file that is gone.
        self._staged.clear()
        # Workers start in the background while the caller still prepares its first items.
        self._at_work()
        return self

    def __exit__(self, *details: object) -> None:
        self.close(now=details[0] is not None)

    def close(self, *, now: bool = False) -> None:
        """End every supervisor and return when all are gone.

        Items that have not been sent are cancelled; the others are finished, or with ``now`` ended
        where they are: they raise InfrastructureError.
        """
        # Order: nobody can submit any more; then the workers end; then what they read from.
        with self._lock:
            stage, self._stage = self._stage, None
            crew, self._crew = self._crew, None
        if crew is not None:
            crew.close(now=now)
        if stage is not None:
            stage.close()

    @property
    def tier(self) -> str:
        """The tier that the sandboxes are of; SandboxUnavailable if there is none."""
        self._at_work().tier_known.wait()
        return probe.choose_tier(self.config)

    @property
    def pids(self) -> list[int]:
        """The process ids of the supervisors that have started."""
        return [] if self._crew is None else self._crew.pids

    @property
    def lost(self) -> int:
        """The number of supervisors that ended unexpectedly."""
        return 0 if self._crew is None else self._crew.lost

    def after_fork(self) -> None:
        """Leave the parent's processes to it, and start new ones on demand; for a forked child."""
        if self._crew is not None:
            self._crew.detach()
            self._crew = None

    def _at_work(self) -> Workforce:
        with self._lock:
            if self._stage is None:
                raise InputError("the pool is not open", remedy="use it as a context manager")
            if self._crew is None:
                self._crew = self._hired(self._stage.fileno())
            return self._crew

    def _hired(self, stage: int) -> Workforce:
        """Return those who work, for the stage at this descriptor."""
        return WorkerPool(self.workers, self.config, stage, self.preload)

    def stage(self, row: Row) -> Ref:
        """Keep a row for as long as the backend is open; equal ones are kept once."""
        # Equal rows are found by their bytes: two jobs of a session may stage the same task.
        data = encoded(row)
        name = hashlib.sha256(data).digest()
        with self._lock:
            if name not in self._staged:
                self._staged[name] = (self._append(data), len(data))
            return self._staged[name]

    def append(self, data: bytes) -> None:
        """Append bytes that another backend has staged, so that its references hold here."""
        with self._lock:
            self._append(data)

    def _append(self, data: bytes) -> int:
        if self._stage is None:
            raise InputError("the pool is not open", remedy="use it as a context manager")
        with spooling("tasks"):
            return _append(self._stage.fileno(), data)

    def submit(
        self, call: Call, item: Row, *, key: Hashable = None, then: Callable[[Row], Result]
    ) -> Future[Result]:
        """Start work on an item; the future holds ``then`` of its row.

        Raises InputError if the backend is not open.
        """
        return self.begin(call, item, key=key, then=then).future

    def begin(self, call: Call, item: Row, *, key: Hashable, then: Callable[[Row], Any]) -> Job:
        """Do as ``submit``; return the job, which also knows how long its item took."""
        return self._begin(self._known(call), item, key, then, None)

    def map(
        self,
        call: Call,
        items: Iterable[Row],
        *,
        key: Callable[[Row], Hashable] | None = None,
        lost: Callable[[Row, Exception], Row] | None = None,
        done: Callable[[Row], object] | None = None,
    ) -> Iterator[Row]:
        """Yield the call's result for each item, in the items' order, like ``Backend.map``."""
        known, held = self._known(call), Held()
        waiting: deque[Job] = deque()

        def then(row: Row) -> Row:
            if done is not None:
                done(row)
            return row

        def oldest() -> Row:
            job = waiting.popleft()
            try:
                return job.future.result()
            except (Lost, Defect) as error:
                if lost is None:
                    raise
                # An item that failed still has its payload; one that is done has not.
                return lost(decoded(job.payload), error)
            finally:
                held.size -= job.weight

        # Results leave in the items' order; jobs run in any order. A row is yielded as soon as it
        # is the oldest and done, or the bound on waiting jobs or bytes is reached.
        try:
            for item in items:
                name = None if key is None else key(item)
                job = self._begin(known, item, name, then, held)
                waiting.append(job)
                del item  # while the caller works with a row, it is not kept
                while waiting and (
                    waiting[0].future.done()  # the next item may be long in coming
                    or len(waiting) >= self.lookahead * self.workers
                    or held.size > self.most_held
                ):
                    yield oldest()
            while waiting:
                yield oldest()
        finally:
            # The caller may stop before the end: items that have not started are not worth
            # starting.
            for job in waiting:
                job.future.cancel()

    def _begin(
        self,
        call: TimedCall,
        item: Row,
        key: Hashable,
        then: Callable[[Row], Any],
        held: Held | None,
    ) -> Job:
        job = Job(next(self._numbers), call, encoded(item), key, then, held)
        if held is not None:
            job.weight = len(job.payload)
            held.size += job.weight
        if not self._at_work().add(job):
            raise InputError("the pool is not open", remedy="use it as a context manager")
        return job

    def _known(self, call: Call) -> TimedCall:
        # Calls are known by their content, so that workers reuse what they have prepared for one.
        name = marshal.dumps((call.maker, call.settings, call.packages))
        with self._lock:
            return self._calls.setdefault(name, TimedCall(call, len(self._calls)))


def _kept_file() -> IO[bytes]:
    """Return a new file without a name, at a descriptor that a process we start has it at, too.

    Not one of the first three, free where a caller has closed them: it gets its own of those.
    """
    with tempfile.TemporaryFile(prefix="evalplus_lite_") as file:
        return os.fdopen(fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, 3), "w+b")


def _append(stage: int, data: bytes) -> int:
    """Append to the shared data and return the position; a forked child may append too."""
    # Appends of a forked child and of its parent must not mix; readers need no lock.
    fcntl.lockf(stage, fcntl.LOCK_EX)
    try:
        start = place = os.fstat(stage).st_size
        rest = memoryview(data)
        while rest:
            done = os.pwrite(stage, rest, place)
            rest, place = rest[done:], place + done
        return start
    finally:
        fcntl.lockf(stage, fcntl.LOCK_UN)


def _after_fork() -> None:
    for backend in list(_backends):
        backend.after_fork()


_backends: weakref.WeakSet[Processes] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork)


# Backends by their names, as options give them.


DEFAULT = "processes"


def make_backend(
    name: str = DEFAULT,
    workers: int | None = None,
    config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
    *,
    require_tier: str | None = None,
    preload: Sequence[str] = (),
) -> Processes:
    """Return an unopened backend.

    ``processes`` runs on this machine; ``ray`` uses the Ray cluster at RAY_ADDRESS, or starts one
    here; ``ray:HOST:PORT`` and ``ray://HOST:PORT`` name a cluster. ``workers`` and ``require_tier``
    apply to both. InputError explains a mismatch.
    """
    if name == DEFAULT:
        if require_tier is not None:
            raise InputError(
                "a required tier is for the backend ray", remedy=f"give --sandbox {require_tier}"
            )
        return Processes(workers, config, preload=preload)
    # An option that the other backend has is refused here: nobody should wait for a cluster first.
    if not isinstance(name, str) or (name != "ray" and not name.startswith("ray:")):
        raise InputError(
            f"unknown backend {name!r}",
            remedy="give processes, ray, ray:HOST:PORT or ray://HOST:PORT",
        )
    if workers is not None:
        raise InputError(
            "the backend ray has as many workers as its nodes have processors",
            remedy="leave --workers out",
        )
    from evalplus_lite.execution.ray_cluster import Cluster

    address = name if name.startswith("ray://") else name.removeprefix("ray").removeprefix(":")
    return Cluster(address, config, require_tier=require_tier, preload=preload)
