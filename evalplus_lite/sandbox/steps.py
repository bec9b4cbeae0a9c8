"""A program's work in steps, a number that is the same on every machine, whatever its load.

The content of a file must not depend on time. So a program is rewritten to count executed
statements and items of comprehensions, and is stopped at a limit. That makes it a few times slower,
so it is done only for a case that took longer than the fastest machine would need for that many
steps: all others are within the limit.

Work within one call of a built-in function is not counted, except for searches in lists. It has a
generous limit in CPU seconds, ``cpu_limit``, which alone is not exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import Observer, ProgramRun
from evalplus_lite.sandbox.guest.counting import OVER, SPENT, STOP
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.sandbox import Sandbox
from evalplus_lite.types import Outcome, Raised, Returned, TimedOut, Value
from evalplus_lite.values import wire

# Steps per second of a usual machine, to convert limits in seconds to limits in steps.
STEPS_A_SECOND = 20_000_000
# Steps per second that no program with millions of steps reaches. Such programs loop, and on
# today's machines the tightest loop makes 40 million; only straight sequences of a thousand
# assignments of a constant make more.
FASTEST = 250_000_000
# The lowest limit, so that cases under 16 milliseconds are never counted.
FEWEST = 4_000_000
# A case's CPU limit: this multiple of its steps in seconds, with at most this many extra seconds.
CPU_FACTOR, MOST_EXTRA_SECONDS = 10, 60.0

ENTRY = "measured"


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit in steps, and the limits in CPU seconds that follow from it."""

    steps: int

    @classmethod
    def of(cls, seconds: float) -> Allowance:
        """Return the steps of a typical machine in these seconds, at least ``FEWEST``."""
        return cls(max(FEWEST, round(seconds * STEPS_A_SECOND)))

    @property
    def safe_seconds(self) -> float:
        """CPU seconds in which no machine exceeds these steps."""
        return self.steps / FASTEST

    @property
    def cpu_limit(self) -> float:
        """CPU seconds for a case within these steps, including the work of built-in functions."""
        seconds = self.steps / STEPS_A_SECOND
        return min(CPU_FACTOR * seconds, seconds + MOST_EXTRA_SECONDS)

    @property
    def counting_cpu_limit(self) -> float:
        """The same for a program that counts its steps, which makes it slower."""
        return self.cpu_limit + 2 * self.steps / STEPS_A_SECOND


@dataclass(frozen=True, slots=True)
class Meter:
    """Limits a program's cases to the steps that a usual machine makes in ``limits.cpu``.

    Pass its ``limits`` and ``raise_limit`` to ``Sandbox.run`` or ``watch``, with ``own_clock``.
    """

    sandbox: Sandbox
    program: Program
    cases: Sequence[Sequence[Value]]
    usual: Limits

    @property
    def allowance(self) -> Allowance:
        """The steps that a case may take."""
        return Allowance.of(self.usual.cpu)

    @property
    def limits(self) -> Limits:
        """Limits within which no machine exceeds the allowed steps."""
        return replace(self.usual, cpu=self.allowance.safe_seconds)

    def raise_limit(self, case: int | None) -> float:
        """Return the raised CPU limit of a case, or 0 if it takes more steps than allowed."""
        if case is None:
            return 0.0
        return 0.0 if self.exceeds(case) else self.allowance.cpu_limit

    def exceeds(self, case: int) -> bool:
        """Return whether a case takes more steps than allowed."""
        arguments = self.cases[case]
        return exceeds(self.sandbox, self.program, arguments, self.allowance, self.usual)

    def run(
        self, inputs: Inputs, *, on_outcome: Callable[[int, Outcome], bool] | None = None
    ) -> ProgramRun:
        """Run the program on its cases, encoded as ``inputs``."""
        return self.sandbox.run(
            self.program,
            inputs,
            self.limits,
            on_outcome=on_outcome,
            raise_limit=self.raise_limit,
            own_clock=True,
        )


def exceeds(
    sandbox: Sandbox,
    program: Program,
    arguments: Sequence[Value],
    allowance: Allowance,
    limits: Limits,
) -> bool:
    """Return whether a program takes more steps than allowed on a case.

    ``limits`` are those of the original run, except for time. The sandbox may still be running that
    program. A program that cannot be counted counts as within the limit.
    """
    (used,) = count(sandbox, program, Inputs.of([arguments]), limits, most=allowance.steps)
    return used is None or used > allowance.steps


def count(
    sandbox: Sandbox, program: Program, inputs: Inputs, limits: Limits, *, most: int
) -> list[int | None]:
    """Return a program's steps on each case, or about ``most`` + 1 if there are more.

    A count is None if the CPU time ends first, and 0 if it cannot be counted or ends its process.
    """
    text = guest_call("counter", *facts_of(program), most)
    roomy = _roomy(limits, most)
    run = sandbox.beside().run(program.around(text, ENTRY), inputs, roomy)
    return [
        None if isinstance(outcome, TimedOut) else max(0, _integer(outcome) or 0)
        for outcome in run.outcomes
    ]


def _roomy(limits: Limits, steps: int) -> Limits:
    """Return the limits of a counting program, given those of a usual run."""
    cpu = Allowance(steps).counting_cpu_limit
    return Limits(cpu, 2 * limits.load + 1, limits.memory, limits.output, limits.wait)


def metered(programs: Sequence[Program], total: int) -> Program:
    """Return a program that calls several others and counts their steps.

    It is called with (number of a program, step limit, arguments in wire form) and answers as that
    program does. It raises ``STOP`` beyond the step limit, and ``SPENT`` beyond ``total`` steps in
    all its calls.

    Counting and answering in one run costs less than counting afterwards, and is as exact. It is
    for programs that gain nothing by cheating the count. Programs that differ only in their text
    can share a process.
    """
    _, *facts = facts_of(programs[0])
    text = guest_call("Metered", [program.source for program in programs], *facts, total)
    return programs[0].around(text, ENTRY)


def is_stopped(outcome: Outcome) -> bool:
    """Return whether a metered program exceeded its steps on a case."""
    return isinstance(outcome, Raised) and outcome.type == STOP


def is_spent(outcome: Outcome) -> bool:
    """Return whether a metered program had used up its total steps."""
    return isinstance(outcome, Raised) and outcome.type == SPENT


def facts_of(program: Program) -> tuple[object, ...]:
    """Return the data with which ``guest.counting`` loads a program."""
    return program.source, program.entry_point, program.harness.row


def guest_call(name: str, *arguments: object) -> str:
    """Return a program whose function is created by a function in ``guest.counting``."""
    return f"import sandbox_inside\n{ENTRY} = sandbox_inside.{name}(*{arguments!r})\n"


# Step budgets: limits on a program's steps on many inputs together, and on each of them.

Count: TypeAlias = int | Outcome | None
"""An input's steps, or its failure (TimedOut: it takes more), or None if it was not tried."""

LEAST = 20_000
"""Steps that an input may always take: a millisecond on a usual machine."""
SHARES = 20
"""An input may take 1/SHARES of the remaining budget."""
LOST = 3 * FEWEST
"""The cost of an input that ends its process or waits for seconds, regardless of its steps."""


@dataclass(slots=True)
class StepBudget:
    """A step budget for inputs: ``total`` steps, of which ``spent`` are used.

    An input may take 1/``shares`` of the rest, but at least ``least`` and at most ``most``.
    """

    total: int
    most: int
    least: int = LEAST
    shares: int = SHARES
    spent: int = 0

    @property
    def left(self) -> int:
        """The unspent steps; 0 if overspent."""
        return max(0, self.total - self.spent)

    @property
    def next_share(self) -> int:
        """The maximum steps of the next input."""
        return min(self.most, max(self.least, self.left // self.shares))


def run_budgeted(
    sandbox: Sandbox,
    program: Program,
    inputs: Inputs,
    limits: Limits,
    step_budget: StepBudget,
    *,
    max_failures: int | None = None,
) -> list[Count]:
    """Run a program on inputs within a step budget, and return the steps of each input.

    ``limits`` are those of a usual run, except for time. After ``max_failures`` inputs over their
    share, the others may only use ``least``; they are skipped if those inputs ended their process,
    or if one did and the budget is used up. All counts are 0 if the program cannot be loaded.
    """
    counts = _Counts(step_budget, max_failures, [None] * len(inputs))
    while counts.is_going and counts.next < len(inputs):
        text = guest_call(
            "budgeted",
            *facts_of(program),
            step_budget.left,
            step_budget.shares,
            step_budget.least,
            step_budget.least if counts.is_full else step_budget.most,
        )
        roomy = _roomy(limits, max(FEWEST, step_budget.next_share))
        _, loaded = sandbox.watch(
            program.around(text, ENTRY), inputs, roomy, counts, first=counts.next
        )
        if not loaded:
            return [0] * len(inputs)
    return counts.counts


@dataclass(slots=True)
class _Counts(Observer):
    """Charges each input's cost to the budget, as the guest does."""

    step_budget: StepBudget
    max_failures: int | None
    counts: list[Count]
    next: int = 0
    is_going: bool = True
    over: int = field(default=0, init=False)
    lost: int = field(default=0, init=False)

    @property
    def is_full(self) -> bool:
        """Whether the maximum number of inputs exceeded their share."""
        return self.max_failures is not None and self.over + self.lost >= self.max_failures

    def outcome(self, case: int, outcome: Outcome) -> bool:
        step_budget, steps = self.step_budget, _integer(outcome)
        self.next = case + 1
        if steps is None:
            step_budget.spent += LOST
            self.counts[case] = outcome
            self.lost += 1
            self.is_going = step_budget.left > 0 and not self.is_full
            return False  # the next process gets the rest
        if steps != OVER:
            step_budget.spent += steps
            self.counts[case] = steps
            return True
        if self.is_full:
            step_budget.spent += step_budget.least
            return True
        step_budget.spent += step_budget.next_share
        self.counts[case] = TimedOut(0.0, 0.0)
        self.over += 1
        return not self.is_full  # if full, the next process gets a smaller share


def _integer(outcome: Outcome | None) -> int | None:
    """Return the integer that a counting program answers; None for anything else."""
    if isinstance(outcome, Returned):
        try:
            value = wire.decode(outcome.data)
        except CodecError:
            return None
        return value if type(value) is int else None
    return None
