"""The budget of an augmentation for one task."""

from __future__ import annotations

from dataclasses import dataclass

from evalplus_lite.sandbox.steps import Allowance, StepBudget

GROWTH = 4
"""Growth of a batch over the one before. Small ones teach the generator early, but each costs three
processes, whatever its size."""


STEPS, STEPS_AN_INPUT = 20_000_000, 10_000
"""Steps that all new inputs of a task may cost the reference together."""
LADDERS = 3
"""The fraction (1/n) of the same budget again for measuring how far sizes go."""
MOST_PROPOSED = 8
"""The factor on the requested inputs that may be proposed at once, if few are valid."""
LADDER_SECONDS = 0.2
"""Seconds of a typical machine that an input of a ladder may cost the reference, in steps."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget for a task.

    ``inputs``: new cases wanted. ``seconds``: of a typical machine, what a case may cost the
    reference (``steps.STEPS_A_SECOND``); a slower input is dropped. ``batch``: inputs proposed at
    first, and again after slow ones; each further batch may be ``GROWTH`` times as large.
    ``patience``: batches without a single new valid input after which the task is done. ``slow``:
    slow inputs after which a batch is given up. ``doubtful``: keep as tests what breaks a
    constraint that all examples keep to, although too few of them speak for it.
    """

    inputs: int = 1000
    seconds: float = 0.5
    batch: int = 250
    patience: int = 4
    slow: int = 8
    doubtful: bool = False

    def step_budget(self, *, of_ladders: bool = False) -> StepBudget:
        """Return the steps that the reference may take on all inputs that are tried."""
        total = STEPS + STEPS_AN_INPUT * self.inputs
        if not of_ladders:
            return StepBudget(total, Allowance.of(self.seconds).steps)
        most = Allowance.of(min(LADDER_SECONDS, self.seconds)).steps
        return StepBudget(total // LADDERS, most, shares=LADDERS)

    @property
    def largest_batch(self) -> int:
        """The maximum number of inputs proposed at once, however few of them are valid."""
        return max(self.batch, MOST_PROPOSED * self.inputs)


def needed(count: int, *, kept: int, of: int) -> int:
    """Return how many inputs to propose for ``count`` valid ones, given that ``kept`` of ``of``
    were.
    """
    return int(count * 1.03 * (of + 20) / (kept + 20)) + 5
