"""The rate of a stage, its remaining time, and the command line of the command that runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar

WINDOW_SECONDS = 60.0
"""The rate is that of the last minute: tasks differ in how long they take."""
STABLE_SECONDS, STABLE_FACTOR = 10.0, 1.5
"""The time to go is shown after ``STABLE_SECONDS``, and only while the rate of the second half is
within this factor of the whole."""

typed: ContextVar[Sequence[str]] = ContextVar("typed", default=())
"""The command line after the program's name."""


class ProgressRate:
    """The speed of a stage and its remaining time, from the steps of the last minute."""

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self._clock = total, clock
        self.done = 0
        self.counts: Mapping[str, int] = {}
        self.start = clock()
        self._known = 0
        self._seen: deque[tuple[float, int]] = deque([(self.start, 0)])

    def advance(self, steps: int, counts: Mapping[str, int], *, known: bool = False) -> None:
        """Count steps; those ``known`` from an earlier run took no time."""
        now = self._clock()
        self.done += steps
        self.counts = counts or self.counts
        self._known += steps if known else 0
        if now - self._seen[-1][0] >= 1.0:
            self._seen.append((now, self.done - self._known))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Steps a second; 0 while nothing was done."""
        (since, before), now = self._seen[0], self._clock()
        return (self.done - self._known - before) / (now - since) if now > since else 0.0

    def _is_stable(self, rate: float) -> bool:
        """Return whether the rate predicts: steps were done steadily, lately at nearly this rate.

        The first steps of a stage wait for sandboxes to start, and predict nothing.
        """
        now, since = self._clock(), self._seen[0][0]
        if now - since < STABLE_SECONDS:
            return False
        middle, before = next((seen for seen in self._seen if seen[0] >= (since + now) / 2),
                              self._seen[-1])  # fmt: skip
        late = (self.done - self._known - before) / (now - middle) if now > middle else 0.0
        return rate / STABLE_FACTOR <= late <= rate * STABLE_FACTOR

    def words(self) -> str:
        """Return how far it is: ``512 of 1640, 48.2/s, 23 s to go; 312 pass, 150 fail``."""
        rate = self.rate
        parts = [str(self.done) if self.total is None else f"{self.done} of {self.total}"]
        if rate:
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")
            if self.total is not None and self.done < self.total and self._is_stable(rate):
                parts.append(f"{duration((self.total - self.done) / rate)} to go")
        shown = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return ", ".join(parts) + (f"; {shown}" if shown else "")


def duration(seconds: float) -> str:
    """Return a duration in words: ``23 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
