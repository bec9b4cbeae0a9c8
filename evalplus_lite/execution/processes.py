"""The default backend: supervisor processes, each with a sandbox, scheduled by this process.

Items are packed on submission and rows unpacked on arrival. Short items are sent several at a time,
and programs never run here. So this process does little work per item, and supervisors do not wait
for it, even if it is busy with other things.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import marshal
import os
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import IO, Any, Self

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Ref, Result, Row
from evalplus_lite.execution.channel import decoded, encoded
from evalplus_lite.execution.job import Defect, Held, Job, Lost, TimedCall
from evalplus_lite.execution.worker_pool import WorkerPool, Workforce
from evalplus_lite.sandbox import SandboxConfig, probe
from evalplus_lite.sandbox.worker_handle import require_file_size
from evalplus_lite.store.locks import Lock
from evalplus_lite.store.writing import spooling

# The number of workers.

MOST_A_PROCESSOR = 16
"""Maximum workers per processor: more only compete for memory and time."""


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def check_workers(workers: object) -> int:
    """Return the number of workers, by default one per processor; raise InputError if invalid."""
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
"""Items per worker that may be taken ahead of the oldest unfinished one: this limits the memory of
waiting results, but a slow item does not block the other workers."""
MOST_HELD = 32 << 20
"""Maximum total bytes of waiting items and rows."""


class Processes:
    """Runs calls in supervisor processes; a thread-safe context manager.

    A process forked while it is open gets its own supervisors, started on first use; closing it
    there does not affect the parent's. ``preload`` names modules that the work needs, which are
    imported once for all supervisors.
    """

    lookahead = LOOKAHEAD

    @property
    def most_held(self) -> int:
        """Maximum total bytes of waiting items and rows."""
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
        # A worker would fail, too, but later and for each item.
        require_file_size()
        with spooling("tasks"):
            self._stage = _kept_file()
        # References from an earlier use point to a file that no longer exists.
        self._staged.clear()
        # Start workers in the background while the caller prepares its first items.
        self._at_work()
        return self

    def __exit__(self, *details: object) -> None:
        self.close(now=details[0] is not None)

    def close(self, *, now: bool = False) -> None:
        """End every supervisor, and return when all are gone.

        Items that have not been sent are cancelled; the others are finished or, with ``now``,
        aborted with InfrastructureError.
        """
        # Order: prevent further submissions, end the workers, then close the data they read.
        with self._lock:
            stage, self._stage = self._stage, None
            crew, self._crew = self._crew, None
        if crew is not None:
            crew.close(now=now)
        if stage is not None:
            stage.close()

    @property
    def tier(self) -> str:
        """The sandboxes' tier; raises SandboxUnavailable if there is none."""
        self._at_work().tier_known.wait()
        return probe.choose_tier(self.config)

    @property
    def pids(self) -> list[int]:
        """The process ids of started supervisors."""
        return [] if self._crew is None else self._crew.pids

    @property
    def lost(self) -> int:
        """The number of supervisors that ended unexpectedly."""
        return 0 if self._crew is None else self._crew.lost

    def after_fork(self) -> None:
        """Leave the parent's processes alone and start new ones on demand, in a forked child."""
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
        return WorkerPool(self.workers, self.config, stage, self.preload)

    def stage(self, row: Row) -> Ref:
        """Store a row for as long as the backend is open; equal rows are stored once."""
        # Equal rows are found by their bytes, as two jobs of a session may stage the same task.
        data = encoded(row)
        name = hashlib.sha256(data).digest()
        with self._lock:
            if name not in self._staged:
                self._staged[name] = (self._append(data), len(data))
            return self._staged[name]

    def append(self, data: bytes) -> None:
        """Append bytes that another backend has staged, so that its references are valid here."""
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
        """Start work on an item; the future's result is ``then`` of its row.

        Raises InputError if the backend is not open.
        """
        return self.begin(call, item, key=key, then=then).future

    def begin(self, call: Call, item: Row, *, key: Hashable, then: Callable[[Row], Any]) -> Job:
        """Do the same as ``submit``, but return the job, which also records its item's time."""
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
        """Yield the call's result for each item, in the items' order.

        Items are taken on demand, a few ahead of the oldest result. Those with the same ``key`` go
        to the same worker if that costs no time. The first error is raised instead of its result.
        ``lost`` may return a row for an item that repeatedly ends its worker, or on which our own
        code fails. ``done`` is called with each row as soon as it arrives, perhaps from another
        thread.
        """
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
                # A failed item still has its payload; a finished one does not.
                return lost(decoded(job.payload), error)
            finally:
                held.size -= job.weight

        # Results are yielded in the items' order, while jobs run in any order. The oldest row is
        # yielded when it is done, and awaited when the limit on waiting jobs or bytes is reached.
        try:
            for item in items:
                name = None if key is None else key(item)
                job = self._begin(known, item, name, then, held)
                waiting.append(job)
                del item  # do not keep it while the caller works with a row
                while waiting and (
                    waiting[0].future.done()  # the next item may take long to arrive
                    or len(waiting) >= self.lookahead * self.workers
                    or held.size > self.most_held
                ):
                    yield oldest()
            while waiting:
                yield oldest()
        finally:
            # If the caller stops before the end, items that have not started are
            # cancelled.
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
        # Calls are identified by content, so that workers reuse everything prepared for one.
        name = marshal.dumps((call.maker, call.settings, call.packages))
        with self._lock:
            return self._calls.setdefault(name, TimedCall(call, len(self._calls)))


def _kept_file() -> IO[bytes]:
    """Return a new unnamed file, whose descriptor can be the same in a process that we start.

    It is not one of the first three, even if a caller has closed them: a new process has its own.
    """
    with tempfile.TemporaryFile(prefix="evalplus_lite_") as file:
        return os.fdopen(fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, 3), "w+b")


def _append(stage: int, data: bytes) -> int:
    """Append to the shared data, and return the position; a forked child may append, too."""
    # Appends of a forked child and its parent must not mix; readers need no lock.
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


# Backends by name, for options.


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
    apply to both. Raises InputError for a mismatch.
    """
    if name == DEFAULT:
        if require_tier is not None:
            raise InputError(
                "a required tier is for the backend ray", remedy=f"give --sandbox {require_tier}"
            )
        return Processes(workers, config, preload=preload)
    # Reject options of the other backend here, before waiting for a cluster.
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
