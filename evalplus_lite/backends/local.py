"""Where work runs on one machine: a thread and a sandbox for each worker.

The threads only wait for their sandbox and compare bytes, so they hardly compete; the CPU time is
spent in the workers' children.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import TypeVar

from evalplus_lite.errors import InputError
from evalplus_lite.sandbox import Sandbox, SandboxConfig

Item = TypeVar("Item")
Result = TypeVar("Result")
LOOKAHEAD = 4
"""Items taken ahead of the oldest unfinished one, a worker: bounds what waits in memory."""


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


class LocalPool:
    """Maps a function over items with a fixed number of sandboxes; a context manager."""

    def __init__(
        self,
        workers: int | None = None,
        config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
    ) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"{workers} workers", remedy="at least 1 is needed")
        self.workers = workers or default_workers()
        self.config = config
        self._jobs: queue.SimpleQueue[Callable[[Sandbox], None] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> LocalPool:
        for number in range(self.workers):
            thread = threading.Thread(target=self._serve, name=f"sandbox-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish the jobs that have begun, end every sandbox, and return when all are gone."""
        while True:  # drop what has not begun
            try:
                self._jobs.get_nowait()
            except queue.Empty:
                break
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _serve(self) -> None:
        # The sandbox lives and dies with this thread: the kernel ends a worker whose parent
        # *thread* has gone.
        sandbox = Sandbox(self.config)
        try:
            while (job := self._jobs.get()) is not None:
                job(sandbox)
        finally:
            sandbox.close()

    def submit(self, function: Callable[[Sandbox, Item], Result], item: Item) -> Future[Result]:
        """Have some worker compute ``function(sandbox, item)``; return where the result goes."""
        future: Future[Result] = Future()

        def job(sandbox: Sandbox) -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(sandbox, item))
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put(job)
        return future

    def imap(
        self, function: Callable[[Sandbox, Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield ``function(sandbox, item)`` for each item, in the items' order.

        Items are taken as needed, a few ahead of the oldest result. The first exception of the
        function is raised where its result would have been.
        """
        waiting: list[Future[Result]] = []
        try:
            for item in items:
                waiting.append(self.submit(function, item))
                if len(waiting) >= LOOKAHEAD * self.workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()
