"""Which cases reject a program, a mutant or a model's sample alike: through the one evaluator."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from evalplus_lite.grading.evaluator import Exam, examine
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.sandbox.steps import FEWEST
from evalplus_lite.types import Suite, Task

MEMORY = 1 << 28
MOST_SLOW = 2
"""A program that used up its time on this many cases is run on no further one."""
MUTANT_STEPS = 2_000_000
"""Mutants meet the cheapest cases, up to this many steps of the reference's in all: a few
published inputs cost more than thousands of others, and no mutant needs just them."""
MUTANT_FEWEST = 1_000_000
"""Steps that any mutant may take on a case, fewer than a sample: many mutants never end, and to
count as far as here is what each of them costs."""
SAMPLE_STEPS = 20_000_000
"""Samples meet the cases up to this cost first; the others only where those reject none of it."""
NEGLIGIBLE_STEPS = 500_000
"""Cases of fewer steps cost nothing."""
BYTE_STEPS = 20
"""What a byte of an expected answer adds to a case's cost: wrong answers have to be read."""


@dataclass(frozen=True, slots=True)
class Kills:
    """The cases that rejected a program and the cases it was run on, as bitsets.

    A case that was not run counts as no kill, so that a suite chosen by kills surely has them.
    """

    killed: int
    run: int


@dataclass(frozen=True, slots=True)
class Range:
    """A shooting range: an exam for some of a suite's cases, and which ones those are."""

    exam: Exam
    cases: tuple[int, ...]

    @classmethod
    def of(
        cls,
        task: Task,
        suite: Suite,
        *,
        steps: Sequence[int] = (),
        most: int | None = None,
        fewest: int = FEWEST,
    ) -> Range:
        """Prepare a suite, or its base cases and its cheapest others up to so many steps in all.

        ``steps`` are the reference's by case, if they are known; with ``most`` they must be. Any
        program may take ``fewest`` on a case. The order is the suite's.
        """
        chosen = list(range(len(suite.cases)))
        if most is not None:
            cost = [
                (used if used >= NEGLIGIBLE_STEPS else 0) + BYTE_STEPS * len(data)
                for used, data in zip(steps, suite.expected, strict=True)
            ]
            plus = sorted(chosen[suite.base_count :], key=lambda case: (cost[case], case))
            total = list(accumulate(cost[case] for case in plus))
            chosen = sorted([*chosen[: suite.base_count], *plus[: bisect_right(total, most)]])
        part = replace(
            suite,
            cases=tuple(suite.cases[case] for case in chosen),
            expected=tuple(suite.expected[case] for case in chosen),
            base_count=sum(case < suite.base_count for case in chosen),
        )
        known = [steps[case] for case in chosen] if steps else []
        exam = Exam.by_steps(task, part, memory=MEMORY, steps=known, fewest=fewest)
        return cls(exam, tuple(chosen))

    def kills(self, sandbox: Sandbox, source: str) -> Kills:
        """Return which cases reject a program, by their numbers in the whole suite."""
        verdict = examine(sandbox, self.exam, source, details=True, most_slow=MOST_SLOW)
        killed = run = 0
        for case, name in zip(self.cases, verdict.details or (), strict=True):
            if name is not None:
                run |= 1 << case
                if name != "pass":
                    killed |= 1 << case
        return Kills(killed, run)
