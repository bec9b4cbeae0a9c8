"""Time limits of a program, for the current case and for all its cases together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalplus_lite.sandbox.limits import Limits
from evalplus_lite.sandbox.worker_handle import Ending, WorkerHandle
from evalplus_lite.types import TimedOut

# A child's time on its current case, by the kernel's clocks, never by its own claims.

# CPU seconds by which a batch may exceed its last case's limit: two milliseconds of earlier cases
# (``guest.child.FLUSH_SECONDS``) and the reporting itself.
CLOCK_SLACK = 0.01

GONE_SECONDS = 10.0  # seconds after a process's end within which the end of its channel is seen
# Maximum wall time of a case, as a multiple of its limit: on a busy machine, a program could
# arrange to queue much and compute little, but no machine makes an honest one as slow as that.
WALL_FACTOR = 100


Exceeded: TypeAlias = Literal["case", "wait", "wall"]


class Watch:
    """The time that a child has spent on its current case."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.spent = 0.0
        self.reset()

    def reset(self) -> None:
        """Start the next case, after a batch has arrived."""
        self.wall = time.monotonic()
        self.cpu = cpu_clock(self.pid)
        self.idle_from: Clocks | None = None
        self.gone_from: float | None = None
        self.over: Exceeded = "case"

    def skip(self, seconds: float) -> None:
        """Ignore the last seconds of wall time, in which the process was stopped."""
        self.wall += seconds
        self.idle_from = None

    def now(self) -> float:
        """Return the CPU seconds of the process, or those at its last answer if it is gone."""
        now = cpu_clock(self.pid)
        return (self.cpu or 0.0) if now is None else now

    def idle(self, waited: float) -> float:
        """Return how many of the seconds that we waited it neither ran nor queued to run."""
        queued = queueing(self.pid)
        if queued is None:
            return (waited - self.now()) / 10  # no scheduler statistics here: be generous instead
        return waited - self.now() - queued.since(Queueing(0.0, 0.0))

    @property
    def is_long_gone(self) -> bool:
        """Whether the process ended some time ago, although its channel is still open."""
        return self.gone_from is not None and time.monotonic() - self.gone_from > GONE_SECONDS

    def used_since_reset(self, limit: float) -> float | None:
        """Return the CPU seconds since the last batch if they exceed ``limit``, else None."""
        if time.monotonic() - self.wall <= limit:
            return None  # one thread cannot use more than the time that passed
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None or now - self.cpu <= limit + CLOCK_SLACK:
            return None
        return now - self.cpu

    def pause(self, limit: float, wait: float) -> float | None:
        """Return how long to wait for an answer before checking again; None if time is up.

        ``limit`` is the current case's CPU seconds, ``wait`` the least seconds allowed for waiting.
        """
        passed = time.monotonic() - self.wall
        if passed < limit:
            return limit - passed + 0.001
        # Read the clocks only now, as each reading is a system call, and most cases are short.
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None:
            if self.gone_from is None:
                self.gone_from = time.monotonic()
            return 0.05  # gone: its channel is about to end
        used = now - self.cpu
        if used > limit + CLOCK_SLACK:
            self.spent, self.over = used, "case"
            return None
        # It used less CPU time than the time that passed, so it waits, or queues for a processor.
        # Waiting counts, but queueing does not, as load must not change a verdict.
        clocks = Clocks(
            time.monotonic(), now, queueing(self.pid), time.thread_time() + own_queueing()
        )
        if self.idle_from is None:
            self.idle_from = clocks
        elif (is_idle := clocks.idle_since(self.idle_from) > max(limit, wait)) or (
            passed > max(limit, wait) * WALL_FACTOR
        ):
            self.spent, self.over = passed, "wait" if is_idle else "wall"
            return None
        return max(0.002, min(limit + CLOCK_SLACK - used, 0.25))


@dataclass(frozen=True, slots=True)
class Queueing:
    """Seconds of queueing for a processor, of the first thread and of all live threads."""

    first: float
    threads: float

    def since(self, earlier: Queueing) -> float:
        """Return the seconds of queueing since an earlier reading.

        The first thread may wait for another that queues; the sum may shrink as threads end.
        """
        return max(self.first - earlier.first, self.threads - earlier.threads)


@dataclass(frozen=True, slots=True)
class Clocks:
    """One reading: wall time, CPU time, and time spent queueing for a processor, in seconds.

    ``watching`` are the seconds in which this thread, which reads the answers, ran or queued.
    """

    wall: float
    cpu: float
    queued: Queueing | None
    watching: float

    def idle_since(self, earlier: Clocks) -> float:
        """Return the seconds in which neither the process nor this thread ran or queued to run.

        A process that sends a long answer waits for us to read it.
        """
        passed = self.wall - earlier.wall - (self.cpu - earlier.cpu)
        passed -= self.watching - earlier.watching
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
    """Return how long process ``pid`` was runnable but not running; None if unknown.

    Reads the second field of schedstat, in nanoseconds (Linux ``Documentation/scheduler/
    sched-stats.rst``); a process's own file only covers its first thread.
    """
    try:
        first = _queued(f"/proc/{pid}/schedstat")
        threads = [f"/proc/{pid}/task/{name}/schedstat" for name in os.listdir(f"/proc/{pid}/task")]
        return Queueing(first, sum(map(_queued, threads)))
    except (OSError, IndexError, ValueError):
        return None


def own_queueing() -> float:
    """Return the seconds for which this thread was runnable but not running; 0 if unknown."""
    try:
        return _queued("/proc/thread-self/schedstat")
    except (OSError, IndexError, ValueError):
        return 0.0


def _queued(path: str) -> float:
    with open(path, encoding="ascii") as file:
        return int(file.read().split()[1]) * 1e-9


# Called with the case on which a program has used up its CPU seconds, or with None for those of
# all cases together; returns how many it may use there in total. The program is stopped
# meanwhile.
RaiseLimit = Callable[[int | None], float]


@dataclass(slots=True)
class ResourceUsage:
    """The resources used by a program's processes, and the seconds for all cases together.

    Times are in seconds; ``memory`` is the peak resident bytes of a process, with its interpreter.
    """

    total: float
    cpu: float = 0.0
    idle: float = 0.0
    is_total_final: bool = False
    is_exhausted: bool = False
    memory: int = 0

    def add(self, ending: Ending) -> None:
        """Add the resources of an ended process."""
        self.cpu += ending.cpu
        self.memory = max(self.memory, ending.memory)


class Timer:
    """The time of one process, watched from outside."""

    def __init__(
        self,
        pid: int,
        worker: WorkerHandle,
        limits: Limits,
        spent: ResourceUsage,
        raise_limit: RaiseLimit | None,
    ) -> None:
        self.watch = Watch(pid)
        self.worker, self.limits, self.spent, self.raise_limit = worker, limits, spent, raise_limit
        # Seconds for which the supervisor has waited for the process, not vice versa. On a busy
        # machine they include the time until the supervisor runs again.
        self.waited, self.queued = 0.0, own_queueing()
        # The case for which ``raise_limit`` was called since the last batch, and its new limit. A
        # program reports its own position, so only one claim per batch is followed up, and the
        # case that arrived.
        self.raised_limit: tuple[int, float] | None = None

    def pause(self, case: int | None) -> float | TimedOut:
        """Return the seconds to wait for an answer before checking again, or TimedOut.

        ``case`` is the program's claimed position; None while it loads.
        """
        limit = self.limits.load
        if case is not None:
            limit = self.limits.cpu if self.raised_limit is None else self.raised_limit[1]
        pause = self.watch.pause(limit, self.limits.wait)
        if pause is None:
            may_raise = self.watch.over == "case" and self.raised_limit is None
            if may_raise and case is not None and self.limit_of(case) > limit:
                return 0.0
            return self._late(self.watch.spent, case, self.watch.over)
        late = None if case is None else self.over_total()
        return pause if late is None else late

    def late(self, case: int, own_word: float | None) -> TimedOut | None:
        """Return TimedOut if the last case of a batch has taken too long.

        ``own_word`` is the process's own measurement, if that counts.
        """
        used = self.watch.used_since_reset(self.limits.cpu)
        if own_word is not None:
            used = own_word if own_word > self.limits.cpu else None
        if used is None or used <= self.limit_of(case):
            return None
        return self._late(used, case, "case")

    def limit_of(self, case: int) -> float:
        """Return the raised CPU limit of a case that has used up the usual ones."""
        if self.raised_limit is None or self.raised_limit[0] != case:
            self.raised_limit = case, max(self.limits.cpu, self._request_limit(case))
        return self.raised_limit[1]

    def over_total(self) -> TimedOut | None:
        """Return TimedOut if all cases of this and earlier processes have taken too long."""
        spent = self.spent
        most_idle = min(spent.total, self.limits.idle)
        waited = spent.idle + self.idle(most_idle - spent.idle)
        used = max(spent.cpu + self.watch.now(), waited)
        is_idle = waited > self.limits.idle
        if used <= spent.total and not is_idle:
            return None
        if not spent.is_total_final and not is_idle:
            spent.is_total_final = True
            spent.total = max(spent.total, self._request_limit(None))
            return self.over_total()
        spent.is_exhausted = True
        return TimedOut(used, self.limits.idle if is_idle else self.limits.total, "total")

    def idle(self, matters: float) -> float:
        """Return the seconds in which the process neither ran nor queued to run while we waited.

        The result may be too high if it does not exceed ``matters``.
        """
        idle = self.waited - self.watch.now()
        if idle > matters:
            idle = self.watch.idle(self.waited) - (own_queueing() - self.queued)
        return max(0.0, idle)

    def batch_came(self) -> TimedOut | None:
        """Start the clock for the next case; return TimedOut if the total time is used up."""
        self.watch.reset()
        self.raised_limit = None
        return self.over_total()

    def end(self) -> None:
        """Add the process's idle time; call it while the process exists."""
        self.spent.idle += self.idle(0.05)

    def _late(self, used: float, case: int | None, over: Exceeded) -> TimedOut:
        # Name the usual limit, because this is written to files and the raised one depends on the
        # machine.
        limit = self.limits.load if case is None else self.limits.cpu
        if over != "case":
            limit = max(limit, self.limits.wait) * (WALL_FACTOR if over == "wall" else 1)
        if case is None:
            return TimedOut(used, limit, "load")
        if over == "case" and self.raise_limit is not None:
            return TimedOut(used, limit, "reference")
        return TimedOut(used, limit, over)

    def _request_limit(self, case: int | None) -> float:
        if self.raise_limit is None:
            return 0.0
        # Stop it, so that it uses no CPU time and does not disturb the reference's run.
        self.worker.stop()
        stopped = time.monotonic()
        try:
            return self.raise_limit(case)
        finally:
            self.worker.go_on()
            self.watch.skip(time.monotonic() - stopped)
