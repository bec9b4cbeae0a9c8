"""Items that a backend has taken, and the time that items of a call take."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Call, Row

AHEAD_SECONDS, MOST_AHEAD = 0.2, 48
"""Items are sent ahead to keep a worker busy for AHEAD_SECONDS, in which a busy caller's process
may not respond: at least one item, and at most MOST_AHEAD."""
LONG_SECONDS = 1.0
"""Longer items are sent one by one, because an item behind a long one could start elsewhere."""


@dataclass
class TimedCall:
    """A call with its number, and the recent average of seconds per item."""

    call: Call
    number: int
    seconds: float = LONG_SECONDS

    def took(self, seconds: float) -> None:
        """Update the average with the time of an item."""
        # A moving average, because the latest items predict the next ones best.
        self.seconds += 0.2 * (seconds - self.seconds)

    @property
    def depth(self) -> int:
        """The number of items that a worker may hold, including the current one."""
        # Short items are sent ahead, because a round trip costs as much as the work.
        if self.seconds >= LONG_SECONDS:
            return 1
        return 1 + min(MOST_AHEAD, math.ceil(AHEAD_SECONDS / max(self.seconds, 1e-6)))


@dataclass
class Held:
    """Bytes of the waiting items and rows of one ``map``."""

    size: int = 0


@dataclass(eq=False)
class Job:
    """An item in packed form; ``then`` converts its row into the future's result."""

    number: int
    call: TimedCall
    payload: bytes
    key: Hashable
    then: Callable[[Row], Any]
    held: Held | None = None
    tries: int = 0
    future: Future[Any] = field(default_factory=Future)
    weight: int = 0
    seconds: float = 0.0

    def took(self, seconds: float) -> None:
        """Record the time of work on the item."""
        self.seconds = seconds
        self.call.took(seconds)

    def begin(self) -> bool:
        """Mark the job as running; return False if it was cancelled."""
        # An item that is retried is already running, and can no longer be cancelled.
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def finish(self, row: Row, weight: int) -> None:
        """Set the future's result, and release the item's bytes; ``weight``: the row's size."""
        # From here on the row waits instead of the item, so its size counts.
        if self.held is not None:
            self.held.size += weight - self.weight
            self.weight = weight
        # The item is no longer needed, as it is not retried.
        self.payload = b""
        try:
            result = self.then(row)
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Set the future's exception, unless it was cancelled."""
        if self.begin():
            self.future.set_exception(error)


class Lost(InfrastructureError):
    """All processes that tried an item ended."""


class Defect(RuntimeError):
    """Our own code failed on an item; ``trace`` is the traceback."""

    def __init__(self, message: str, trace: str) -> None:
        super().__init__(message)
        self.trace = trace
        self.add_note(f"in a supervisor process:\n{trace}")
