"""A program's work counted in steps: the same number on every machine, however busy.

The content of a file must not depend on time. So a program is rewritten to count the statements it
executes and the items its comprehensions take, and is stopped at a limit. That makes it a few times
slower, so it is done only for a case that took longer than any machine needs for that many steps:
all others would have passed.

Work within one call of a built-in function is not counted, except for searches in lists. It has a
generous limit in CPU seconds, ``patience``, which alone is not exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import ProgramRun
from evalplus_lite.sandbox.guest.counting import OVER, SPENT, STOP
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.sandbox import Sandbox
from evalplus_lite.types import Outcome, Raised, Returned, TimedOut, Value
from evalplus_lite.values import wire

# Steps that a usual machine makes in a second: so limits in seconds become limits in steps.
STEPS_A_SECOND = 20_000_000
# Steps a second that no program with millions of steps reaches. Such programs loop, and on today's
# machines the tightest loop makes 40 million; only straight runs of a thousand assignments of a
# constant make more.
FASTEST = 250_000_000
# No limit is lower: cases under sixteen milliseconds are never counted.
FEWEST = 4_000_000
PATIENCE = 10
# A case's patience: a multiple of its limit's usual seconds, or these extra seconds.
MOST_PATIENCE = 60.0

ENTRY = "measured"


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit in steps, at least ``FEWEST``, derived from seconds on a typical machine."""

    steps: int

    @classmethod
    def of(cls, seconds: float) -> Allowance:
        """Return the steps that a typical machine makes in these seconds."""
        return cls(max(FEWEST, round(seconds * STEPS_A_SECOND)))

    @property
    def unasked(self) -> float:
        """CPU seconds in which no machine makes more steps than this."""
        return self.steps / FASTEST

    @property
    def patience(self) -> float:
        """CPU seconds that a case within this many steps may take: built-in functions' own work."""
        seconds = self.steps / STEPS_A_SECOND
        return min(PATIENCE * seconds, seconds + MOST_PATIENCE)

    @property
    def patience_counting(self) -> float:
        """The same for a program that counts its steps, which takes its time, too."""
        return self.patience + 2 * self.steps / STEPS_A_SECOND


@dataclass(frozen=True, slots=True)
class Meter:
    """Bounds a program's cases by steps, as many as a usual machine makes in ``limits.cpu``.

    For ``Sandbox.run`` and ``watch``, with ``own_clock``: its ``limits``, and ``more`` for theirs.
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
        """Limits under which nobody is asked who would not be stopped on some machine."""
        return replace(self.usual, cpu=self.allowance.unasked)

    def more(self, case: int | None) -> float:
        """Return the CPU seconds that a case may take after all: none, or its patience."""
        if case is None:
            return 0.0
        return 0.0 if self.exceeds(case) else self.allowance.patience

    def exceeds(self, case: int) -> bool:
        """Return whether a case takes more steps than allowed."""
        arguments = self.cases[case]
        return exceeds(self.sandbox, self.program, arguments, self.allowance, self.usual)

    def run(
        self, inputs: Inputs, *, judge: Callable[[int, Outcome], bool] | None = None
    ) -> ProgramRun:
        """Run the program on its cases, encoded as ``inputs``."""
        return self.sandbox.run(
            self.program, inputs, self.limits, judge=judge, more=self.more, own_clock=True
        )


def exceeds(
    sandbox: Sandbox,
    program: Program,
    arguments: Sequence[Value],
    allowance: Allowance,
    limits: Limits,
) -> bool:
    """Return whether a program takes more steps than allowed on a case.

    ``limits`` are those of the run that is asked about, but for its time. The sandbox may be
    running that program meanwhile. A program that cannot be counted is not held to take more.
    """
    (used,) = count(sandbox, program, Inputs.of([arguments]), limits, most=allowance.steps)
    return used is None or used > allowance.steps


def count(
    sandbox: Sandbox, program: Program, inputs: Inputs, limits: Limits, *, most: int
) -> list[int | None]:
    """Return the steps that a program takes on each case, ``most`` + 1 or so if it takes more.

    None if its patience ends first; 0 if it cannot be counted or ends its process.
    """
    text = guest_call("counter", *facts_of(program), most)
    roomy = Limits(
        Allowance(most).patience_counting,
        2 * limits.load + 1,
        limits.memory,
        limits.output,
        limits.wait,
    )
    run = sandbox.beside().run(program.around(text, ENTRY), inputs, roomy)
    return [_steps(outcome) for outcome in run.outcomes]


def metered(programs: Sequence[Program], total: int) -> Program:
    """Return one program that calls several others and counts their steps.

    It is called with (number of a program, step limit, arguments in wire form) and answers as that
    program does. It raises ``STOP`` beyond the step limit, and ``SPENT`` beyond ``total`` steps in
    all its calls.

    Counting and answering in one run costs less than counting afterwards, and is as exact. For
    programs that gain nothing by cheating the count. Several programs that differ only in their
    text share a process.
    """
    _, *facts = facts_of(programs[0])
    text = guest_call("Metered", [program.source for program in programs], *facts, total)
    return programs[0].around(text, ENTRY)


def is_stopped(outcome: Outcome) -> bool:
    """Return whether a metered program made more steps than it may."""
    return isinstance(outcome, Raised) and outcome.type == STOP


def is_spent(outcome: Outcome) -> bool:
    """Return whether a metered program had made all the steps that it may make in all."""
    return isinstance(outcome, Raised) and outcome.type == SPENT


def facts_of(program: Program) -> tuple[object, ...]:
    """Return what ``guest.counting`` has to know to load a program."""
    return program.source, program.entry_point, program.harness.row


def guest_call(name: str, *arguments: object) -> str:
    """Return a program whose function is made by a name of ``guest.counting``."""
    return f"import sandbox_inside\n{ENTRY} = sandbox_inside.{name}(*{arguments!r})\n"


def _steps(outcome: Outcome | None) -> int | None:
    if isinstance(outcome, TimedOut):
        return None
    if isinstance(outcome, Returned):
        try:
            value = wire.decode(outcome.data)
        except CodecError:
            return 0
        return value if type(value) is int and value >= 0 else 0
    return 0


# Step budgets: the steps that a program may take on many inputs together, and on each of them.

Count: TypeAlias = int | Outcome | None
"""An input's steps, or how it failed within them (TimedOut: it takes more), or None: not tried."""

LEAST = 20_000
"""Steps that an input may always take: a millisecond of a usual machine."""
SHARES = 20
"""An input may take one of this many parts of the remaining budget."""
LOST = 3 * FEWEST
"""The cost of an input that ends its process or waits for seconds, whatever its steps are."""


@dataclass(slots=True)
class StepBudget:
    """Steps for inputs to come: ``total`` at first, of which ``spent`` are gone.

    An input may take at most ``most``, one of ``shares`` parts of the remainder, or ``least``.
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
        """The steps that the next input may take."""
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
    """Run a program on inputs within a step budget, and return the steps of each.

    ``limits`` are those of a usual run, except for time. After ``max_failures`` inputs over their
    share the others may only use ``least``; they are skipped if these ended their process, or if
    one did and nothing is left. All zero if the program cannot be loaded.
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
        roomy = Limits(
            Allowance(max(FEWEST, step_budget.next_share)).patience_counting,
            2 * limits.load + 1,
            limits.memory,
            limits.output,
            limits.wait,
        )
        _, loaded = sandbox.watch(
            program.around(text, ENTRY), inputs, roomy, counts, first=counts.next
        )
        if not loaded:
            return [0] * len(inputs)
    return counts.counts


@dataclass(slots=True)
class _Counts:
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
        """Whether the maximum number of inputs took too much."""
        return self.max_failures is not None and self.over + self.lost >= self.max_failures

    def equal(self, first: int, last: int) -> bool:
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        step_budget, steps = self.step_budget, _steps_used(outcome)
        self.next = case + 1
        if steps is None:
            step_budget.spent += LOST
            self.counts[case] = outcome
            self.lost += 1
            self.is_going = step_budget.left > 0 and not self.is_full
            return False  # the next process receives the remainder
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
        return not self.is_full  # the others get less, which the next process receives


def _steps_used(outcome: Outcome) -> int | None:
    if isinstance(outcome, Returned):
        try:
            value = wire.decode(outcome.data)
        except CodecError:
            return None
        return value if type(value) is int else None
    return None
