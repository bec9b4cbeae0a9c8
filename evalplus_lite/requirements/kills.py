"""Which cases reject a program: of a mutant or a model's sample alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalplus_lite.compare import matches
from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import Expected, Inputs, Limits, Program, Sandbox, wire
from evalplus_lite.types import Outcome, Returned, Rule, Suite, TimedOut, Value

Accepts = Callable[[int, Value], bool]
"""Whether a value is a right answer to case number ``i``, though not the reference's own bytes."""

MOST_SLOW = 2
"""A program that used up its time on this many cases is run on no further one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a program may use where only its kills are wanted, tight on purpose.

    A case may take ``factor`` times the reference's CPU seconds, at least ``floor``; a program
    that is slower is killed there. ``memory``, ``load`` and ``output`` as in ``Limits``.
    """

    floor: float = 0.1
    factor: float = 10.0
    memory: int = 1 << 28
    load: float = 2.0
    output: int = 1 << 22

    def limits(self, times: Sequence[float]) -> Limits:
        """Return the limits for cases on which the reference takes these CPU seconds."""
        cpu = tuple(max(self.floor, self.factor * time) for time in times)
        return Limits(cpu, self.load, self.memory, self.output)


@dataclass(frozen=True, slots=True)
class Subject:
    """A suite made ready to be run many times: inputs encoded once, expected answers decoded once."""

    inputs: Inputs
    expected: Expected
    accepts: Accepts
    limits: Limits
    base_count: int

    @classmethod
    def of(
        cls,
        suite: Suite,
        *,
        rule: Rule,
        accepts: Accepts | None = None,
        budget: Budget = Budget(),
    ) -> Subject:
        """Prepare a suite; ``accepts`` replaces the comparison by ``rule`` (a task's ``check``)."""
        values = [wire.decode(data) for data in suite.expected]

        def by_rule(case: int, value: Value) -> bool:
            return matches(value, values[case], rule)

        return cls(
            Inputs.of(case.arguments for case in suite.cases),
            Expected.of(suite.expected),
            accepts or by_rule,
            budget.limits(suite.times),
            suite.base_count,
        )


@dataclass(frozen=True, slots=True)
class Kills:
    """The cases that rejected a program and the cases it was run on, as bitsets.

    A case that was not run (the program had used up its time elsewhere) counts as no kill, so
    that a suite chosen by these kills surely has them.
    """

    killed: int
    run: int


def kills(
    sandbox: Sandbox, program: Program, subject: Subject, *, cases: int | None = None
) -> Kills:
    """Return which cases reject the program, of all or of the first ``cases``.

    It is rejected where its answer is not accepted, and where it raises, ends, exceeds its limits
    or answers with no plain value. A program that does not load is rejected by every case.
    """
    watcher = _Watcher(subject, len(subject.inputs) if cases is None else cases)
    _, loaded = sandbox.watch(
        program, subject.inputs, subject.limits, watcher, expected=subject.expected
    )
    if not loaded:
        everything = (1 << watcher.wanted) - 1
        return Kills(everything, everything)
    return Kills(watcher.killed, watcher.run)


class _Watcher:
    """Books what the sandbox reports; ends the run where no more is wanted."""

    def __init__(self, subject: Subject, wanted: int) -> None:
        self.accepts, self.wanted = subject.accepts, wanted
        self.killed = self.run = self.slow = 0

    def equal(self, first: int, last: int) -> bool:
        """The answers to these cases are the reference's own."""
        self.run |= (1 << last) - (1 << first)
        return last < self.wanted

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """The answer to this case has other bytes, or there is none."""
        self.run |= 1 << case
        if not self._is_right(case, outcome):
            self.killed |= 1 << case
        self.slow += isinstance(outcome, TimedOut)
        return case + 1 < self.wanted and self.slow < MOST_SLOW

    def _is_right(self, case: int, outcome: Outcome) -> bool:
        if not isinstance(outcome, Returned):
            return False
        try:
            return self.accepts(case, wire.decode(outcome.data))
        except CodecError:
            return False
