"""How much an augmentation does for a task; what deals tasks needs to know no more of it."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from evalplus_lite.execution.base import Row
from evalplus_lite.sandbox.steps import Allowance, StepBudget

GROWTH = 4
"""A batch may be so many times as large as the one before. Small ones teach the generator early,
but each costs three processes, whatever its size."""


STEPS, STEPS_AN_INPUT = 20_000_000, 10_000
"""What all new inputs of a task may cost the reference together."""
LADDERS = 3
"""One of so many parts of the same again for finding out how far sizes go."""
MOST_PROPOSED = 8
"""So many times the inputs wanted may be proposed at once, where few are valid."""
LADDER_SECONDS = 0.2
"""Of a usual machine: what an input of a ladder may cost the reference, in steps."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much to do for a task.

    ``inputs``: new cases wanted. ``seconds``: of a usual machine, what a case may cost the
    reference (``steps.STEPS_A_SECOND``); a slower input is dropped. ``batch``: inputs proposed at
    first, and again after slow ones; each further batch may be ``GROWTH`` times as large.
    ``patience``: batches without a single new valid input after which the task is done. ``slow``:
    slow inputs after which a batch is given up.
    """

    inputs: int = 1000
    seconds: float = 0.5
    batch: int = 250
    patience: int = 4
    slow: int = 8

    def step_budget(self, *, of_ladders: bool = False) -> StepBudget:
        """Return the steps that the reference may take on all inputs that are tried."""
        total = STEPS + STEPS_AN_INPUT * self.inputs
        if not of_ladders:
            return StepBudget(total, Allowance.of(self.seconds).steps)
        most = Allowance.of(min(LADDER_SECONDS, self.seconds)).steps
        return StepBudget(total // LADDERS, most, shares=LADDERS)

    @property
    def largest_batch(self) -> int:
        """How many inputs are proposed at once at most, however few of them are valid."""
        return max(self.batch, MOST_PROPOSED * self.inputs)

    def to_row(self) -> Row:
        """Return it as plain data."""
        return astuple(self)


def needed(count: int, *, kept: int, of: int) -> int:
    """Return how many inputs to propose for ``count`` valid ones, as ``kept`` of so many were."""
    return int(count * 1.03 * (of + 20) / (kept + 20)) + 5
