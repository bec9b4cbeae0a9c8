"""An item that a backend has taken, and how long items of its call take: a worker's depth."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Call, Row

AHEAD_SECONDS, MOST_AHEAD = 0.2, 48
"""Items are sent ahead to keep a worker busy for this many seconds, the time in which a busy
caller's process may not answer: at least one item, and at most this many."""
LONG_SECONDS = 1.0
"""Items that take longer are sent one by one: an item behind a long one could start elsewhere."""


@dataclass
class TimedCall:
    """A call with its number, and how long its items take: seconds, lately, on average."""

    call: Call
    number: int
    seconds: float = LONG_SECONDS

    def took(self, seconds: float) -> None:
        """Take the time of one more item into account."""
        # A moving average: the latest items predict the next ones best.
        self.seconds += 0.2 * (seconds - self.seconds)

    @property
    def depth(self) -> int:
        """The number of items that a worker may hold at a time, the current one included."""
        # Short items are sent ahead, since a round trip would cost as much as the work.
        if self.seconds >= LONG_SECONDS:
            return 1
        return 1 + min(MOST_AHEAD, math.ceil(AHEAD_SECONDS / max(self.seconds, 1e-6)))


@dataclass
class Held:
    """Bytes of the items and rows that one ``map`` has waiting."""

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
        """Note how long it was worked on."""
        self.seconds = seconds
        self.call.took(seconds)

    def begin(self) -> bool:
        """Mark the job as running. Return False if it was already cancelled."""
        # An item that is tried again is running already, and can no longer be cancelled.
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def finish(self, row: Row, weight: int) -> None:
        """Set the future's result, and release the item's bytes; ``weight`` is the
        result's size.
        """
        # From here on the row waits in place of the item, so its size counts instead.
        if self.held is not None:
            self.held.size += weight - self.weight
            self.weight = weight
        # The item is no longer needed: it is not tried again.
        self.payload = b""
        try:
            result = self.then(row)
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Give the future an error, unless it was cancelled."""
        if self.begin():
            self.future.set_exception(error)


class Lost(InfrastructureError):
    """The processes that worked on an item ended, each time that it was tried."""


class Defect(RuntimeError):
    """Our own code failed on an item; ``trace`` is where, as Python shows it."""

    def __init__(self, message: str, trace: str) -> None:
        super().__init__(message)
        self.trace = trace
        self.add_note(f"in a supervisor process:\n{trace}")
