"""Judging of many programs on one suite, case by case, with self-counted steps.

It is used where verdicts decide the content of a file: which cases reject a mutant or a sample. The
only limits in seconds are generous ones, on built-in functions and on waiting, so the rows are the
same on every machine, whatever its load. A program that exceeds its total time is represented by
the first case that rejects it. Programs can cheat the count, but gain nothing by passing here.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.grading.evaluator import PreparedSuite
from evalplus_lite.grading.observer import VerdictObserver, check_deferred, is_killed
from evalplus_lite.grading.times import ReferenceTimes
from evalplus_lite.sandbox import Expected, Inputs, Program, Sandbox
from evalplus_lite.sandbox.steps import Allowance, is_spent, is_stopped, metered
from evalplus_lite.types import Outcome, Suite, Task, TimedOut, VerdictName
from evalplus_lite.values import wire

# A program's verdict on each case; None: not run there.
Row: TypeAlias = tuple[VerdictName | None, ...]

SLOW: tuple[VerdictName, ...] = ("timeout",)
MOST_IDLE = 5.0
"""Seconds that a program may wait on all cases together, not counting waits for a processor."""
FACTOR = 4.0  # limit on the CPU seconds of built-in functions, as a multiple of the reference's
# Maximum calls, and bytes of expected answers, of all programs in one process.
MOST_CALLS, MOST_BYTES = 1 << 13, 1 << 22


@dataclass(frozen=True, slots=True)
class MeteredSuite:
    """A suite that is ready for programs that count their own steps.

    ``seconds`` limit the CPU time of a case, or ``FACTOR`` times the reference's time if that is
    more. ``total`` limits the steps of a program on all cases and, generously, its seconds.
    ``together`` programs of one origin, such as mutants of one reference, share a process. A
    program is stopped once the total cost of its verdicts reaches ``failure_budget``.
    """

    prepared: PreparedSuite
    inputs: Inputs
    expected: Expected
    seconds: tuple[float, ...]
    times: ReferenceTimes
    total: int
    together: int
    costs: Mapping[VerdictName, int]
    failure_budget: int
    judged: dict[tuple[int, bytes], VerdictName] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        task: Task,
        suite: Suite,
        allowed: Sequence[int],
        seconds: Sequence[float],
        *,
        memory: int,
        costs: Mapping[VerdictName, int],
        failure_budget: int,
        together: int = 1,
        total: int | None = None,
    ) -> MeteredSuite:
        """Prepare a suite; ``memory`` is in bytes.

        ``allowed`` are steps and ``seconds`` CPU seconds by case, ``total`` the steps on all cases
        (None: only limited by case). Raises UnusableTask for a suite without cases.
        """
        prepared = PreparedSuite.by_steps(task, suite, memory=memory)
        limits = replace(prepared.limits, cpu=min(seconds))
        if total is not None:
            whole = Allowance(total).counting_cpu_limit
            limits = replace(limits, total=whole, idle=MOST_IDLE)
        together = max(
            1,
            min(
                together,
                MOST_CALLS // len(suite.cases),
                MOST_BYTES // (1 + len(prepared.expected.stream)),
            ),
        )
        return cls(
            replace(prepared, limits=limits),
            _inputs(suite, allowed, together),
            prepared.expected.times(together),
            tuple(seconds),
            ReferenceTimes(task, suite.cases),
            sum(allowed) if total is None else total,
            together,
            costs,
            failure_budget,
        )

    def rows(self, sandbox: Sandbox, sources: Sequence[str]) -> Iterator[Row]:
        """Yield the verdicts of each program, in order."""
        # Programs of one origin share a process, because starting one costs more than most runs.
        for start in range(0, len(sources), self.together):
            some = sources[start : start + self.together]
            for source, observer in zip(some, self._observed(sandbox, some), strict=True):
                # A kernel that is short of memory may have killed it, so repeat it once, alone.
                if is_killed(observer.base or observer.plus):
                    (observer,) = self._observed(sandbox, [source])
                check_deferred(sandbox, observer)
                assert observer.details is not None
                row = tuple(observer.details)
                yield _known_by_first(row) if observer.is_late else row

    def _observed(self, sandbox: Sandbox, sources: Sequence[str]) -> list[_RowObserver]:
        count = len(self.seconds)
        task, suite, limits = self.prepared.task, self.prepared.suite, self.prepared.limits
        observers = _Together(
            count,
            [
                _RowObserver(
                    task, suite, [None] * count, self.failure_budget, self.costs, judged=self.judged
                )
                for _ in sources
            ],
        )
        program = metered([Program.of(task, source) for source in sources], self.total)
        if len(sources) > 1:  # a program's time must not affect another's row
            limits = replace(limits, total=float("inf"), idle=float("inf"))
        inputs = replace(self.inputs, count=count * len(sources))

        def raise_limit(case: int | None) -> float:
            if case is None:
                return FACTOR * self.times.total(sandbox)
            return self._seconds(sandbox, case % count)

        # Each pass ends with the case that ended the process; the next continues after it.
        while observers.next < inputs.count:
            sandbox.watch(
                program,
                inputs,
                limits,
                observers,
                expected=self.expected,
                raise_limit=raise_limit,
                own_clock=True,
                first=observers.next,
            )
        return observers.observers

    def _seconds(self, sandbox: Sandbox, case: int) -> float:
        """Return the raised CPU limit for a case."""
        if self.seconds[case] > self.prepared.limits.cpu:
            return self.seconds[case]
        # Time it only now, because nearly all cases end within the first limit.
        return FACTOR * self.times.of(sandbox, case)


@dataclass(slots=True)
class _RowObserver(VerdictObserver):
    """Observes one program; ``is_late``: whether it exceeded its total time."""

    is_late: bool = False


@dataclass(slots=True)
class _Together:
    """Observes programs that share a process, one after the other, with an observer for each."""

    count: int
    """The number of cases of each."""
    observers: list[_RowObserver]
    next: int = 0
    """The next case to run if the process is lost."""

    def equal(self, first: int, last: int) -> bool:
        count = self.count
        # A run of equal answers may span several programs.
        while first < last:
            end = min(last, first - first % count + count)
            self.observers[first // count].equal(first % count, (end - 1) % count + 1)
            first = end
        self.next = last
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        number, place = divmod(case, self.count)
        observer = self.observers[number]
        if is_stopped(outcome):
            outcome = TimedOut(0.0, 0.0)
        observer.is_late = isinstance(outcome, TimedOut) and outcome.over == "total"
        if not observer.is_late and not is_spent(outcome) and observer.outcome(place, outcome):
            self.next = case + 1
            return True
        # This program is done and its process has ended, so the next pass starts with the next one.
        self.next = (number + 1) * self.count
        return False


def _known_by_first(row: Row) -> Row:
    """Return a row with only the first rejecting verdict."""
    first = next((place for place, name in enumerate(row) if name not in (None, "pass")), None)
    return tuple([name if place == first else None for place, name in enumerate(row)])


def _inputs(suite: Suite, allowed: Sequence[int], together: int) -> Inputs:
    """Return the calls of ``together`` programs on all cases, sending equal arguments once."""
    cases = [
        (steps, wire.encode(tuple(case.arguments)))
        for steps, case in zip(allowed, suite.cases, strict=True)
    ]
    rows = [(number, *case) for number in range(together) for case in cases]
    data = marshal.dumps(rows, 4)
    return Inputs(data, len(rows), hashlib.sha256(data).hexdigest())
