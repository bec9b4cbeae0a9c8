"""Whether a program's time is up: on the case it is at, or on all its cases together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from evalplus_lite.sandbox.clocks import Watch
from evalplus_lite.sandbox.limits import Limits
from evalplus_lite.sandbox.worker_handle import Ending, WorkerHandle
from evalplus_lite.types import TimedOut

# Called with the case on which a program has used up its CPU seconds, or with None if it has used
# up those for all cases together; returns how many it may use there in all. The program is stopped
# meanwhile.
More = Callable[[int | None], float]


@dataclass(slots=True)
class Spent:
    """What a program's processes have used so far, and what they may use on all cases together.

    Seconds; ``memory`` is the most bytes that one of them had resident, the interpreter included.
    """

    total: float
    cpu: float = 0.0
    idle: float = 0.0
    is_asked: bool = False
    is_exhausted: bool = False
    memory: int = 0

    def add(self, ending: Ending) -> None:
        """Count what a process that ended has used."""
        self.cpu += ending.cpu
        self.memory = max(self.memory, ending.memory)


class Timer:
    """The time of one process, watched from outside."""

    def __init__(
        self, pid: int, worker: WorkerHandle, limits: Limits, spent: Spent, more: More | None
    ) -> None:
        self.watch = Watch(pid)
        self.worker, self.limits, self.spent, self.more = worker, limits, spent, more
        # Seconds for which the supervisor has waited for the process, and not the other way.
        self.waited = 0.0
        # The case that more was asked for since the last batch, and its limit now. A program says
        # itself where it is: it is asked about one claim a batch, and about the case that came.
        self.granted: tuple[int, float] | None = None

    def pause(self, case: int | None) -> float | TimedOut:
        """Return how many seconds to wait for an answer before looking again, or that time is up.

        ``case`` is where the program says that it is; None while it loads.
        """
        limit = self.limits.load
        if case is not None:
            limit = self.limits.cpu if self.granted is None else self.granted[1]
        pause = self.watch.pause(limit, self.limits.wait)
        if pause is None:
            if case is None:
                return TimedOut(self.watch.spent, limit)
            if not self.watch.is_idle and self.granted is None and self.limit_of(case) > limit:
                return 0.0
            return self._late(self.watch.spent)
        late = None if case is None else self.over_total()
        return pause if late is None else late

    def late(self, case: int, own_word: float | None) -> TimedOut | None:
        """Return TimedOut if the case that a batch ends with has taken too long.

        ``own_word`` is what the process says that it used, where that counts.
        """
        used = self.watch.used_since_reset(self.limits.cpu)
        if own_word is not None:
            used = own_word if own_word > self.limits.cpu else None
        if used is None or used <= self.limit_of(case):
            return None
        return self._late(used)

    def limit_of(self, case: int) -> float:
        """Return the CPU seconds that a case may use now that the usual ones are used up."""
        if self.granted is None or self.granted[0] != case:
            self.granted = case, max(self.limits.cpu, self._ask(case))
        return self.granted[1]

    def over_total(self) -> TimedOut | None:
        """Return TimedOut if all cases, this process's and earlier ones', have taken too long."""
        spent = self.spent
        most_idle = min(spent.total, self.limits.idle)
        waited = spent.idle + self.idle(most_idle - spent.idle)
        used = max(spent.cpu + self.watch.now(), waited)
        is_idle = waited > self.limits.idle
        if used <= spent.total and not is_idle:
            return None
        if not spent.is_asked and not is_idle:
            spent.is_asked = True
            spent.total = max(spent.total, self._ask(None))
            return self.over_total()
        spent.is_exhausted = True
        return TimedOut(used, self.limits.total, "total")

    def idle(self, matters: float) -> float:
        """Return the seconds in which the process neither ran nor queued to run while we waited.

        It may have been less where that does not matter, as long as it is not above ``matters``.
        """
        most = self.waited - self.watch.now()
        return max(0.0, self.watch.idle(self.waited) if most > matters else most)

    def batch_came(self) -> TimedOut | None:
        """Start the clock of the next case; return TimedOut if there may not be one."""
        self.watch.reset()
        self.granted = None
        return self.over_total()

    def end(self) -> None:
        """Count what the process idled; to be called while the process exists."""
        self.spent.idle += self.idle(0.05)

    def _late(self, used: float) -> TimedOut:
        # Name the usual limit, not the granted one: that depends on the machine, and this is
        # written to files.
        if self.more is None or self.watch.is_idle:
            return TimedOut(used, self.limits.cpu)
        return TimedOut(used, self.limits.cpu, "reference")

    def _ask(self, case: int | None) -> float:
        if self.more is None:
            return 0.0
        # Stopped, it uses no CPU time and does not disturb the reference's run beside it.
        self.worker.stop()
        stopped = time.monotonic()
        try:
            return self.more(case)
        finally:
            self.worker.go_on()
            self.watch.skip(time.monotonic() - stopped)
