"""How long a child has been at its current case, by the kernel's clocks: nothing it says counts."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

# CPU seconds by which a batch may exceed its last case's limit: two milliseconds of earlier cases
# (``inside.FLUSH_SECONDS``) and the reporting itself.
CLOCK_SLACK = 0.01

GONE_SECONDS = 10.0  # seconds after a process's end within which the end of its channel is seen
# Times its limit that a case may take on any clock: a program can arrange to queue much and to
# compute little, where the machine is busy; no machine is as slow as that to an honest one.
PATIENCE = 100


class Watch:
    """The time that a child has spent on its current case."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.spent = 0.0
        self.is_idle = False  # whether what is up is the time to wait, not CPU time
        self.reset()

    def reset(self) -> None:
        """A batch has arrived: the next case begins now."""
        self.wall = time.monotonic()
        self.cpu = cpu_clock(self.pid)
        self.idle_from: Clocks | None = None
        self.gone_from: float | None = None

    def skip(self, seconds: float) -> None:
        """Leave the last seconds of wall time, in which it was stopped, out of account."""
        self.wall += seconds
        self.idle_from = None

    def now(self) -> float:
        """Return the CPU seconds that the process has used, as of its last answer if it is gone."""
        now = cpu_clock(self.pid)
        return (self.cpu or 0.0) if now is None else now

    def idle(self, waited: float) -> float:
        """Return for how many of the seconds that we waited it neither ran nor queued to run."""
        queued = queueing(self.pid)
        if queued is None:
            return (waited - self.now()) / 10  # no scheduler statistics here: be generous instead
        return waited - self.now() - queued.since(Queueing(0.0, 0.0))

    @property
    def is_long_gone(self) -> bool:
        """Whether the process ended some time ago, yet the end of its channel never came."""
        return self.gone_from is not None and time.monotonic() - self.gone_from > GONE_SECONDS

    def used_since_reset(self, limit: float) -> float | None:
        """Return the CPU seconds since the last batch where they exceed ``limit``, else None."""
        if time.monotonic() - self.wall <= limit:
            return None  # one thread cannot use more than the time that passed
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None or now - self.cpu <= limit + CLOCK_SLACK:
            return None
        return now - self.cpu

    def pause(self, limit: float, wait: float) -> float | None:
        """Return how long to wait for an answer before looking again; None: time is up.

        ``limit`` is the current case's in CPU seconds, ``wait`` the least seconds of idling.
        """
        passed = time.monotonic() - self.wall
        if passed < limit:
            return limit - passed + 0.001
        # The clocks are read only now: each reading is a system call, and most cases are short.
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None:
            if self.gone_from is None:
                self.gone_from = time.monotonic()
            return 0.05  # gone: the end of the channel is about to be seen
        used = now - self.cpu
        if used > limit + CLOCK_SLACK:
            self.spent = used
            return None
        # Less CPU than the limit in more time than that: it waits, or it queues for a processor.
        # Waiting counts, queueing does not: a busy machine must not change a verdict.
        clocks = Clocks(time.monotonic(), now, queueing(self.pid))
        if self.idle_from is None:
            self.idle_from = clocks
        elif (
            clocks.idle_since(self.idle_from) > max(limit, wait)
            or passed > max(limit, wait) * PATIENCE
        ):
            self.spent, self.is_idle = passed, True
            return None
        return max(0.002, min(limit + CLOCK_SLACK - used, 0.25))


@dataclass(frozen=True, slots=True)
class Queueing:
    """Seconds of queueing for a processor: of the first thread, and of all that are alive."""

    first: float
    threads: float

    def since(self, earlier: Queueing) -> float:
        """Return the seconds of queueing since an earlier reading.

        The first thread may wait for another that queues; the sum may shrink, as threads end.
        """
        return max(self.first - earlier.first, self.threads - earlier.threads)


@dataclass(frozen=True, slots=True)
class Clocks:
    """One reading: wall time, CPU time, and time spent queueing for a processor, in seconds."""

    wall: float
    cpu: float
    queued: Queueing | None

    def idle_since(self, earlier: Clocks) -> float:
        """Return the seconds in which the process neither ran nor queued to run."""
        passed = self.wall - earlier.wall - (self.cpu - earlier.cpu)
        if self.queued is None or earlier.queued is None:
            return passed / 10  # no scheduler statistics here: be generous instead
        return passed - self.queued.since(earlier.queued)


def cpu_clock(pid: int) -> float | None:
    """Return the CPU seconds that process ``pid`` has used, all threads; None once it is gone.

    The clock id is Linux's encoding of a process's CPU clock (clock_getcpuclockid(3)).
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None


def queueing(pid: int) -> Queueing | None:
    """Return how long ``pid`` was runnable but not running, if the kernel reports it.

    The second field of schedstat, in nanoseconds (Linux ``Documentation/scheduler/
    sched-stats.rst``); a process's own file is about its first thread only.
    """
    try:
        first = _queued(f"/proc/{pid}/schedstat")
        threads = [f"/proc/{pid}/task/{name}/schedstat" for name in os.listdir(f"/proc/{pid}/task")]
        return Queueing(first, sum(map(_queued, threads)))
    except (OSError, IndexError, ValueError):
        return None


def _queued(path: str) -> float:
    with open(path, encoding="ascii") as file:
        return int(file.read().split()[1]) * 1e-9
