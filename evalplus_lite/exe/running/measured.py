"""Running an instrumented program: steps of every kind, and what was reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalplus_lite.exe.running.runs import CPU_SECONDS, CallableProgram, Invocation, answer_of, rows
from evalplus_lite.sandbox import Inputs, Limits, Sandbox
from evalplus_lite.types import Outcome, TimedOut


@dataclass(frozen=True, slots=True)
class Measured:
    """What one call of an instrumented program did."""

    steps: dict[str, int]
    """Counter -> count."""
    reached: frozenset[int] = frozenset()
    """Arms, as ``Instrumented`` numbers them."""
    spent: int = 0
    """Steps of all kinds: what a budget is of."""
    is_whole: bool = True
    """Whether it came to its end within its budget."""
    is_read: bool = False
    """Whether what it gave is other than the plain data that stands for it: a date, say."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """Of each call what it did, None where that is not known; CPU seconds, loading included."""

    calls: tuple[Measured | None, ...]
    late: frozenset[int]
    """Calls that ran out of time, by their place."""
    seconds: float = 0.0


def measure(
    sandbox: Sandbox,
    subject: CallableProgram,
    calls: Iterable[Invocation],
    counters: Sequence[str],
    *,
    budget: int = 0,
    cpu: float = 10 * CPU_SECONDS,
    max_slow: int | None = None,
    total: float = math.inf,
) -> MeasuredRun:
    """Call an instrumented program on cases and return what its counters say.

    ``budget``: a call is ended after so many steps (0: never), with what was counted until then.
    ``cpu`` seconds a case, ``total`` of all; after ``max_slow`` that took longer no more are run.
    """
    late: set[int] = set()

    def judge(case: int, outcome: Outcome) -> bool:
        if isinstance(outcome, TimedOut):
            late.add(case)
        return max_slow is None or len(late) < max_slow

    program = subject.program(counters=counters, budget=budget)
    limits = Limits(cpu=cpu, load=20.0, total=total)
    found = sandbox.run(program, Inputs.of(rows(calls)), limits, judge=judge)
    measured = (_measured(outcome) for outcome in found.outcomes)
    return MeasuredRun(tuple(measured), frozenset(late), found.cpu)


def _measured(outcome: Outcome | None) -> Measured | None:
    answer = answer_of(outcome)
    if answer.kind != "value" or not isinstance(answer.value, list):
        return None
    steps, reached, *others = answer.value
    return Measured(steps, frozenset(reached), *others)
