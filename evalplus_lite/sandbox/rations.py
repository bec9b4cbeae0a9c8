"""Rations: the steps that a program may take on many inputs together, and on each of them.

What is dear gets a share of what is left, so that there is less and less for such inputs and always
something for cheap ones. Each input is counted while it runs and stopped where its share ends; no
time decides, but for work within built-in functions, which has a far-off limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox.guest.counting import OVER
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.sandbox import Sandbox
from evalplus_lite.sandbox.steps import ENTRY, FEWEST, Allowance, facts_of, guest_call
from evalplus_lite.types import Outcome, Returned, TimedOut
from evalplus_lite.values import wire

Count: TypeAlias = int | Outcome | None
"""An input's steps, or how it failed within them (TimedOut: it takes more), or None: not tried."""

LEAST = 20_000
"""Steps that an input may always take: a millisecond of a usual machine."""
SHARES = 20
"""An input may take one of so many parts of what is left."""
LOST = 3 * FEWEST
"""What an input costs that ends its process or waits: seconds, whatever its steps are."""


@dataclass(slots=True)
class Purse:
    """Steps for inputs to come: ``total`` at first, of which ``spent`` are gone.

    An input may take at most ``most``, one of ``shares`` parts of what is left, or ``least``.
    """

    total: int
    most: int
    least: int = LEAST
    shares: int = SHARES
    spent: int = 0

    @property
    def left(self) -> int:
        """What has not been spent; 0 if more was."""
        return max(0, self.total - self.spent)

    @property
    def each(self) -> int:
        """What the next input may take."""
        return min(self.most, max(self.least, self.left // self.shares))


def ration(
    sandbox: Sandbox,
    program: Program,
    inputs: Inputs,
    limits: Limits,
    purse: Purse,
    *,
    max_failures: int | None = None,
) -> list[Count]:
    """Run a program on inputs as far as the purse allows, and return what each took of it.

    ``limits`` are those of a usual run, but for its time. After ``max_failures`` inputs that take
    too much others are only tried as far as ``least`` goes; none, if these ended their process, or
    one did and nothing is left. All zero if the program cannot be loaded.
    """
    found = _Counts(purse, max_failures, [None] * len(inputs))
    while found.is_going and found.next < len(inputs):
        text = guest_call(
            "rationed",
            *facts_of(program),
            purse.left,
            purse.shares,
            purse.least,
            purse.least if found.is_full else purse.most,
        )
        roomy = Limits(
            Allowance(max(FEWEST, purse.each)).patience_counting,
            2 * limits.load + 1,
            limits.memory,
            limits.output,
            limits.wait,
        )
        _, loaded = sandbox.watch(
            program.around(text, ENTRY), inputs, roomy, found, first=found.next
        )
        if not loaded:
            return [0] * len(inputs)
    return found.counts


@dataclass(slots=True)
class _Counts:
    """Takes what each input cost off the purse, as the guest does."""

    purse: Purse
    max_failures: int | None
    counts: list[Count]
    next: int = 0
    is_going: bool = True
    over: int = field(default=0, init=False)
    lost: int = field(default=0, init=False)

    @property
    def is_full(self) -> bool:
        """Whether as many inputs took too much as may."""
        return self.max_failures is not None and self.over + self.lost >= self.max_failures

    def equal(self, first: int, last: int) -> bool:
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        purse, steps = self.purse, _steps(outcome)
        self.next = case + 1
        if steps is None:
            purse.spent += LOST
            self.counts[case] = outcome
            self.lost += 1
            self.is_going = purse.left > 0 and not self.is_full
            return False  # the next process is told what is left
        if steps != OVER:
            purse.spent += steps
            self.counts[case] = steps
            return True
        if self.is_full:
            purse.spent += purse.least
            return True
        purse.spent += purse.each
        self.counts[case] = TimedOut(0.0, 0.0)
        self.over += 1
        return not self.is_full  # all others get less, which the next process is told


def _steps(outcome: Outcome) -> int | None:
    if isinstance(outcome, Returned):
        try:
            value = wire.decode(outcome.data)
        except CodecError:
            return None
        return value if type(value) is int else None
    return None
