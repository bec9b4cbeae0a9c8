"""Where work runs on one machine: a thread and a sandbox for each worker.

The threads only wait for their sandbox and compare bytes, so they hardly compete; the CPU time is
spent in the workers' children.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.execution.workers import check_workers
from evalplus_lite.sandbox import Sandbox, SandboxConfig

Item = TypeVar("Item")
Result = TypeVar("Result")
LOOKAHEAD = 64
"""Items taken ahead of the oldest unfinished one, a worker: bounds what waits in memory, while one
slow item does not keep the other workers waiting."""
MOST_AHEAD = 16 << 20
"""What items taken ahead may weigh together, where they have a weight: characters, say."""
GRACE = 0.5
"""Seconds that threads get to end when the caller leaves by an exception."""


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[Sandbox], None]
    future: Future[Any]


class LocalPool:
    """Maps a function over items with a fixed number of sandboxes; a context manager.

    In a process forked while it is open it is open as well, with sandboxes of its own, which are
    started when first used; closing it there leaves the parent's alone.
    """

    def __init__(
        self,
        workers: int | None = None,
        config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
    ) -> None:
        self.workers = check_workers(workers)
        self.config = config
        self._open = False
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._sandboxes: list[Sandbox] = []
        self._lock = threading.Lock()

    def after_fork(self) -> None:
        """In a forked child: forget the parent's threads and sandboxes, and leave them alone."""
        for sandbox in self._sandboxes:
            sandbox.disown()
        self._reset()

    def __enter__(self) -> LocalPool:
        self._open = True
        self._start()
        return self

    def _start(self) -> None:
        for number in range(self.workers):
            thread = threading.Thread(target=self._serve, name=f"sandbox-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(now=error is not None)

    def close(self, *, now: bool = False) -> None:
        """End every sandbox and return when all are gone.

        Jobs that have not begun are cancelled; those that have are finished, or with ``now`` ended
        where they are: they raise InfrastructureError. What then still runs outside a sandbox, such
        as a model that is asked, is not waited for: its thread ends by itself, or with the process.
        """
        with self._lock:
            self._open = False
        with contextlib.suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                job.future.cancel()
        if now:
            for sandbox in self._sandboxes:
                sandbox.end()
        for _ in self._threads:
            self._jobs.put(None)
        deadline = time.monotonic() + GRACE if now else None
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        self._threads.clear()
        self._sandboxes.clear()

    def _serve(self) -> None:
        # The sandbox lives and dies with this thread: the kernel ends a worker whose parent
        # *thread* has gone.
        sandbox = Sandbox(self.config)
        self._sandboxes.append(sandbox)
        # Started while the caller still reads; whatever is in the way is told by the first job.
        with contextlib.suppress(EvalPlusLiteError):
            sandbox.start()
        try:
            while (job := self._jobs.get()) is not None:
                job.run(sandbox)
        finally:
            sandbox.close()

    def submit(self, function: Callable[[Sandbox, Item], Result], item: Item) -> Future[Result]:
        """Have some worker compute ``function(sandbox, item)``; return where the result goes.

        Raises InputError where the pool is not open.
        """
        future: Future[Result] = Future()

        def run(sandbox: Sandbox) -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(sandbox, item))
            except BaseException as error:
                future.set_exception(error)

        with self._lock:  # so that no job comes after the last one was cancelled
            if not self._open:
                raise InputError("the pool is not open", remedy="use it as a context manager")
            if not self._threads:  # in a forked child
                self._start()
            self._jobs.put(_Job(run, future))
        return future

    def imap(
        self,
        function: Callable[[Sandbox, Item], Result],
        items: Iterable[Item],
        *,
        weight: Callable[[Item], int] | None = None,
    ) -> Iterator[Result]:
        """Yield ``function(sandbox, item)`` for each item, in the items' order.

        Items are taken as needed, a few ahead of the oldest result: fewer where, by their
        ``weight``, they would be more than ``MOST_AHEAD``. The first exception of the function is
        raised where its result would have been.
        """
        waiting: deque[tuple[int, Future[Result]]] = deque()
        ahead = 0
        try:
            for item in items:
                weighs = 0 if weight is None else weight(item)
                waiting.append((weighs, self.submit(function, item)))
                del item  # while the caller works with a result, it is not kept
                ahead += weighs
                while len(waiting) >= LOOKAHEAD * self.workers or ahead > MOST_AHEAD:
                    weighs, future = waiting.popleft()
                    ahead -= weighs
                    yield future.result()
            while waiting:
                yield waiting.popleft()[1].result()
        finally:
            for _, future in waiting:
                future.cancel()


def _after_fork() -> None:
    for pool in list(_pools):
        pool.after_fork()


_pools: weakref.WeakSet[LocalPool] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork)
