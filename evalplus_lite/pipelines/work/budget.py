"""How much an augmentation does for a task; what deals tasks needs to know no more of it."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from evalplus_lite.execution.base import Row

GROWTH = 4
"""A batch may be so many times as large as the one before. Small ones teach the generator early,
but each costs three processes, whatever its size."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much to do for a task.

    ``inputs``: new cases wanted. ``seconds``: of a usual machine, what a case may cost the
    reference (``steps.STEPS_A_SECOND``); a slower input is dropped. ``batch``: inputs proposed at
    first, and again after slow ones; each further batch may be ``GROWTH`` times as large.
    ``patience``: batches without a single new valid input after which the task is done. ``slow``:
    slow inputs after which a batch is given up.
    ``targeted``: inputs that may be added for wrong programs which the others let pass.
    """

    inputs: int = 1000
    seconds: float = 0.5
    batch: int = 250
    patience: int = 4
    slow: int = 8
    targeted: int = 0

    def to_row(self) -> Row:
        """Return it as plain data."""
        return astuple(self)


def needed(count: int, *, kept: int, of: int) -> int:
    """Return how many inputs to propose for ``count`` valid ones, as ``kept`` of so many were."""
    return int(count * 1.03 * (of + 20) / (kept + 20)) + 5
