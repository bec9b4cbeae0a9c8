"""What a program may use on a case where the usual limit is used up: as the reference needs.

Verdicts go by CPU time, on the machine that judges. What decides the contents of a file (which
cases kill a mutant, which inputs are disputed) goes by steps, and is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evalplus_lite.grading.reference_times import ReferenceTimes
from evalplus_lite.sandbox import Inputs, Limits, Preset, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance, count, exceeds
from evalplus_lite.types import Case, Task

MOST_STEPS = 1 << 30  # counting a reference ends here: about a minute of a usual machine


class Pace(Protocol):
    """Says how long a program may take on a case beyond the usual limit."""

    @property
    def own_clock(self) -> bool:
        """Whether programs measure themselves, as ``Sandbox.watch`` says."""
        ...

    def limit(self, sandbox: Sandbox, program: Program, limits: Limits, case: int) -> float:
        """Return the CPU seconds that the program may use on the case in all."""
        ...

    def total(self, sandbox: Sandbox) -> float:
        """Return the seconds that a program may use on all cases together."""
        ...


@dataclass(frozen=True, slots=True)
class ByTime:
    """A program may take ``preset.factor`` times as long as the reference takes here."""

    preset: Preset
    times: ReferenceTimes
    is_total_given: bool = False
    own_clock: bool = field(default=False, init=False)

    def limit(self, sandbox: Sandbox, program: Program, limits: Limits, case: int) -> float:
        """Return the larger of the floor and ``factor`` times the reference's CPU seconds."""
        return self.preset.limit(self.times.of(sandbox, case))

    def total(self, sandbox: Sandbox) -> float:
        """Return ``factor`` times the reference's seconds, unless a total was given."""
        if self.is_total_given:
            return 0.0
        return self.preset.total(len(self.times.cases), self.times.total(sandbox))


@dataclass(frozen=True, slots=True)
class BySteps:
    """A program may take ``FEWEST`` steps, or ``factor`` times those of the reference.

    What it does within them may take the patience that goes with them, or as many times as long
    as the reference: built-in functions do not count steps.
    """

    task: Task
    cases: Sequence[Case]
    factor: float = 4.0
    known: dict[int, int] = field(default_factory=dict)
    """The reference's steps, by case, as far as they were counted."""
    own_clock: bool = field(default=True, init=False)

    def limit(self, sandbox: Sandbox, program: Program, limits: Limits, case: int) -> float:
        """Return the case's patience; 0 if the program takes more steps than it may."""
        arguments = self.cases[case].arguments
        least = Allowance(FEWEST)
        allowance = Allowance(max(FEWEST, round(self.factor * self._steps(sandbox, case))))
        if exceeds(sandbox, program, arguments, allowance, limits):
            return 0.0
        if allowance.patience > least.patience:
            return allowance.patience
        times = ReferenceTimes(self.task, (self.cases[case],))
        return max(least.patience, self.factor * times.of(sandbox, 0))

    def total(self, sandbox: Sandbox) -> float:
        """Return nothing: the far-off limit stands."""
        return 0.0

    def _steps(self, sandbox: Sandbox, case: int) -> int:
        if case not in self.known:
            self.known[case] = reference_steps(sandbox, self.task, [self.cases[case]])[0]
        return self.known[case]


def reference_steps(
    sandbox: Sandbox, task: Task, cases: Sequence[Case], *, most: int = MOST_STEPS
) -> list[int]:
    """Return the steps of a task's reference on each case, at most ``most`` or so."""
    program = Program.of(task)
    inputs = Inputs.of(case.arguments for case in cases)
    limits = Limits(load=10.0, memory=4 << 30)
    found = count(sandbox, program, inputs, limits, most=most)
    return [most if steps is None else steps for steps in found]
