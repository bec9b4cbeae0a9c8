"""Many programs against one suite, judged case by case, each counting its own steps.

For what decides the contents of a file: which cases reject a mutant or a sample. Nothing measured
in seconds enters but a far-off bound on the work of built-in functions, so the rows are the same
on every machine, however busy. Programs gain nothing by passing here: they could cheat the count.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.grading.evaluator import PreparedSuite
from evalplus_lite.grading.observer import VerdictObserver, check_deferred, is_killed
from evalplus_lite.grading.reference_times import ReferenceTimes
from evalplus_lite.sandbox import Expected, Inputs, Sandbox
from evalplus_lite.sandbox.steps import is_stopped, metered
from evalplus_lite.types import Outcome, Suite, Task, TimedOut, VerdictName
from evalplus_lite.values import wire

# A program's verdict on each case; None: not run there.
Row: TypeAlias = tuple[VerdictName | None, ...]

SLOW: tuple[VerdictName, ...] = ("timeout",)
EXHAUSTED: tuple[VerdictName, ...] = ("timeout", "memory", "crash")
FACTOR = 4.0  # how many times the reference's CPU seconds the work of built-in functions may take
# Calls, and bytes of expected answers, that programs in one process have together.
MOST_CALLS, MOST_BYTES = 1 << 13, 1 << 22


@dataclass(frozen=True, slots=True)
class MeteredSuite:
    """A suite ready for programs that count their own steps.

    ``seconds`` bound the CPU time of a case, or ``FACTOR`` times the reference's time does.
    ``together`` programs share a process: those of one origin, such as mutants of one reference.
    A program is run on no further case once ``patience`` of its verdicts were ``fatal``.
    """

    prepared: PreparedSuite
    inputs: Inputs
    expected: Expected
    seconds: tuple[float, ...]
    times: ReferenceTimes
    together: int
    fatal: tuple[VerdictName, ...]
    patience: int
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
        patience: int,
        together: int = 1,
        fatal: tuple[VerdictName, ...] = SLOW,
    ) -> MeteredSuite:
        """Prepare a suite; ``memory`` is in bytes.

        ``allowed`` are steps and ``seconds`` CPU seconds by case. Raises UnusableTask for a suite
        without cases.
        """
        prepared = PreparedSuite.by_steps(task, suite, memory=memory)
        limits = replace(prepared.limits, cpu=min(seconds))
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
            together,
            fatal,
            patience,
        )

    def rows(self, sandbox: Sandbox, sources: Sequence[str]) -> Iterator[Row]:
        """Yield each program's verdicts, in their order."""
        for start in range(0, len(sources), self.together):
            some = sources[start : start + self.together]
            for source, observer in zip(some, self._observed(sandbox, some), strict=True):
                if is_killed(observer.base or observer.plus):
                    (observer,) = self._observed(sandbox, [source])
                check_deferred(sandbox, self.prepared.task, self.prepared.suite, observer)
                assert observer.details is not None
                yield tuple(observer.details)

    def _observed(self, sandbox: Sandbox, sources: Sequence[str]) -> list[VerdictObserver]:
        count = len(self.seconds)
        found = _Together(self, [self._observer() for _ in sources])
        program = metered(sources, self.prepared.task.entry_point)
        limits = self.prepared.limits
        if len(sources) > 1:  # no program's time may decide another's row
            limits = replace(limits, total=float("inf"))
        inputs = replace(self.inputs, count=count * len(sources))

        def more(case: int | None) -> float:
            return 0.0 if case is None else self._seconds(sandbox, case % count)

        while found.next < inputs.count:
            sandbox.watch(
                program,
                inputs,
                limits,
                found,
                expected=self.expected,
                more=more,
                own_clock=True,
                first=found.next,
            )
        return found.observers

    def _observer(self) -> VerdictObserver:
        prepared = self.prepared
        details: list[VerdictName | None] = [None] * len(self.seconds)
        return VerdictObserver(
            prepared.task,
            prepared.suite,
            details,
            self.patience,
            fatal=self.fatal,
            judged=self.judged,
        )

    def _seconds(self, sandbox: Sandbox, case: int) -> float:
        """Return the CPU seconds that a case may take after all."""
        if self.seconds[case] > self.prepared.limits.cpu:
            return self.seconds[case]
        return FACTOR * self.times.of(sandbox, case)


@dataclass(slots=True)
class _Together:
    """Observes programs that share a process, one after the other; each has an observer."""

    suite: MeteredSuite
    observers: list[VerdictObserver]
    next: int = 0
    """Where to begin when the process has to be left."""

    def equal(self, first: int, last: int) -> bool:
        count = len(self.suite.seconds)
        while first < last:
            end = min(last, first - first % count + count)
            self.observers[first // count].equal(first % count, (end - 1) % count + 1)
            first = end
        self.next = last
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        number, place = divmod(case, len(self.suite.seconds))
        if is_stopped(outcome):
            outcome = TimedOut(0.0, 0.0)
        if self.observers[number].outcome(place, outcome):
            self.next = case + 1
            return True
        self.next = (number + 1) * len(self.suite.seconds)
        return False


def _inputs(suite: Suite, allowed: Sequence[int], together: int) -> Inputs:
    """Return the calls of so many programs on all cases; equal arguments are sent once."""
    cases = [
        (steps, wire.encode(tuple(case.arguments)))
        for steps, case in zip(allowed, suite.cases, strict=True)
    ]
    rows = [(number, *case) for number in range(together) for case in cases]
    data = marshal.dumps(rows, 4)
    return Inputs(data, len(rows), hashlib.sha256(data).hexdigest())
