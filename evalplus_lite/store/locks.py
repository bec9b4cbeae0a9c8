"""Locks that are free in a forked child, where the thread that held one does not exist."""

from __future__ import annotations

import os
import threading
import weakref


class Lock:
    """A lock for ``with``; a thread must not fork while it holds the lock."""

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
