"""Locks that a forked child finds free: the thread that held one is not there to give it back."""

from __future__ import annotations

import os
import threading
import weakref


class Lock:
    """A lock for ``with``. A process must not fork while the forking thread itself holds it."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _after_fork() -> None:
    for lock in list(_all):
        lock._lock = threading.Lock()


_all: weakref.WeakSet[Lock] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork)
