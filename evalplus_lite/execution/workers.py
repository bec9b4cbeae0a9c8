"""How many workers there are to be."""

from __future__ import annotations

import os

from evalplus_lite.errors import InputError

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
