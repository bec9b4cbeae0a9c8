"""Cases that reject a mutant or a model's sample: a requirement that a small suite preserves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from evalplus_lite.grading.metered import SLOW, MeteredSuite
from evalplus_lite.grading.subsets import subset
from evalplus_lite.programs.mutation.variants import may_share
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance
from evalplus_lite.types import Suite, Task

MEMORY = 1 << 28
MOST_SLOW = 2
"""Number of cases with spent steps after which a program is not run further."""
MOST_LOST = 8
"""Number of cases with memory errors or crashes after which a sample is not run further, since each
one starts another process; running out of steps counts as ``MOST_LOST / MOST_SLOW`` of these."""
SAMPLE_CASES = 5
"""Step limit of a sample on all cases together, as a multiple of the minimum for one case; or
``SAMPLE_FACTOR`` times the reference's steps if that is more."""
SAMPLE_FACTOR = 4
"""Step limit of a sample on a case, as a multiple of the reference's; at least ``FEWEST``."""
SAMPLE_STEPS = 20_000_000
"""Total cost of the cases that samples run on first; others are run only if these reject none."""
MUTANT_FEWEST, MUTANT_FACTOR = 10_000, 4
"""Step limit of a mutant on a case: this many, plus a multiple of the reference's steps. One in ten
never terminates and uses up the limit."""
MUTANT_SECONDS = 0.5
"""Lowest limit on CPU seconds of a mutant's calls of built-in functions on a case."""
MUTANT_STEPS = 2_000_000
"""Mutants run on the cheapest cases, up to this many reference steps in total: a few published
inputs cost more than thousands of others, and no mutant needs just these."""
MUTANT_MEMORY = 1 << 26
"""Memory limit of a mutant in bytes; ``MEMORY`` if the reference needs more."""
TOGETHER = 16
"""Number of mutants that share a process, because starting one costs more than most of them; only
if the reference leaves no state behind and loads immediately."""
NEGLIGIBLE_STEPS = 500_000
"""Cases with fewer steps count as free."""
BYTE_STEPS = 20
"""Additional cost of a byte of the expected output, since wrong outputs must be read."""


@dataclass(frozen=True, slots=True)
class Kills:
    """The cases that rejected a program and the cases it was run on, as bitsets.

    A case that was not run is not a kill, so a suite chosen by kills never relies on it. ``slow``
    are killing cases on which the program exceeded its steps. A program that was not run further
    ``is_stopped``: it may fail on more cases.
    """

    killed: int
    run: int
    slow: int = 0
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class KillSuite:
    """Some of a suite's cases, prepared for running programs, and their numbers."""

    metered: MeteredSuite
    cases: tuple[int, ...]

    @classmethod
    def of_samples(
        cls, task: Task, suite: Suite, steps: Sequence[int], *, most: int | None = None
    ) -> KillSuite:
        """Prepare a whole suite, or its base cases and the cheapest others up to ``most`` steps.

        ``steps`` are the reference's, by case.
        """
        chosen = range(len(suite.cases)) if most is None else _cheapest(suite, steps, most)
        allowed = [max(FEWEST, SAMPLE_FACTOR * steps[case]) for case in chosen]
        whole = SAMPLE_FACTOR * sum(steps[case] for case in chosen)
        metered = MeteredSuite.of(
            task,
            subset(suite, chosen),
            allowed,
            [Allowance(most).counting_cpu_limit for most in allowed],
            memory=MEMORY,
            costs={"timeout": MOST_LOST // MOST_SLOW, "memory": 1, "crash": 1},
            failure_budget=MOST_LOST,
            total=max(SAMPLE_CASES * FEWEST, whole),
        )
        return cls(metered, tuple(chosen))

    @classmethod
    def of_mutants(
        cls, sandbox: Sandbox, task: Task, suite: Suite, steps: Sequence[int]
    ) -> KillSuite:
        """Prepare a suite's base cases and its cheapest others; ``steps`` are the reference's."""
        chosen = _cheapest(suite, steps, MUTANT_STEPS)
        part = subset(suite, chosen)
        allowed = [MUTANT_FEWEST + MUTANT_FACTOR * steps[case] for case in chosen]
        seconds = [MUTANT_SECONDS + Allowance(most).counting_cpu_limit for most in allowed]
        for memory in (MUTANT_MEMORY, MEMORY):
            metered = MeteredSuite.of(
                task,
                part,
                allowed,
                seconds,
                memory=memory,
                failure_budget=MOST_SLOW,
                costs={"timeout": 1, "memory": 1, "crash": 1},
                together=TOGETHER if may_share(task.reference) else 1,
            )
            (row,) = metered.rows(sandbox, [task.reference])
            if set(row) == {"pass"}:
                break
        return cls(metered, tuple(chosen))

    def kills(self, sandbox: Sandbox, sources: Sequence[str]) -> Iterator[Kills]:
        """Yield the cases that reject each program, by their numbers in the whole suite."""
        for row in self.metered.rows(sandbox, sources):
            run = [(case, name) for case, name in zip(self.cases, row, strict=True) if name]
            killed = sum(1 << case for case, name in run if name != "pass")
            slow = sum(1 << case for case, name in run if name in SLOW)
            yield Kills(killed, sum(1 << case for case, _ in run), slow, len(run) < len(row))


def _cheapest(suite: Suite, steps: Sequence[int], most: int) -> Sequence[int]:
    """Return the base cases and the cheapest others up to ``most`` steps in total, in order."""
    cost = [
        (used if used >= NEGLIGIBLE_STEPS else 0) + BYTE_STEPS * len(data)
        for used, data in zip(steps, suite.expected, strict=True)
    ]
    plus = sorted(range(suite.base_count, len(cost)), key=lambda case: (cost[case], case))
    total = list(accumulate(cost[case] for case in plus))
    return sorted([*range(suite.base_count), *plus[: bisect_right(total, most)]])
