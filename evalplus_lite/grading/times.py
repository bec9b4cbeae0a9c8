"""The running time of a task's reference, measured on demand where programs are judged.

Files of tasks contain no times, so limits fit the judging machine, and files are the same
everywhere.
"""

from __future__ import annotations

import contextlib
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeAlias

from evalplus_lite.sandbox import Inputs, Limits, Preset, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance, count, exceeds
from evalplus_lite.store.cache import cache_path, read_cached, write_cached
from evalplus_lite.types import Case, Crashed, Outcome, OutOfMemory, Task, TimedOut

# Maximum CPU seconds per case; a longer time of the reference counts as this.
MOST_SECONDS = 60.0
MOST_TOTAL = 600.0  # maximum CPU seconds for measuring all cases together
LOAD_SECONDS = 30.0
MEMORY = 4 << 30
FORMAT = 1  # part of every name in the cache; increase it when the measurement changes


@dataclass
class ReferenceTimes:
    """CPU seconds of a reference by case, and for all cases together, each measured once.

    With ``cache``, a folder, measurements are stored there, named by content and machine.
    """

    task: Task
    cases: tuple[Case, ...]
    cache: Path | None = None
    _known: dict[str, float] = field(default_factory=dict)

    def of(self, sandbox: Sandbox, case: int) -> float:
        """Return the CPU seconds of the reference on a single case."""
        inputs = Inputs.of([self.cases[case].arguments])
        return self._get(sandbox, inputs)

    def total(self, sandbox: Sandbox) -> float:
        """Return the CPU seconds of the reference on all cases in one run."""
        inputs = Inputs.of(case.arguments for case in self.cases)
        return self._get(sandbox, inputs)

    def _get(self, sandbox: Sandbox, inputs: Inputs) -> float:
        # Without a reference there is nothing to time, and the floor of the limit applies.
        if not self.task.reference:
            return 0.0
        key = inputs.key
        if key not in self._known:
            path = self._path(key)
            seconds = read_cached(path, _seconds)
            if seconds is None:
                seconds = self._measured(sandbox, inputs)
                write_cached(path, [json.dumps({"seconds": round(seconds, 6)}).encode()])
            self._known[key] = seconds
        return self._known[key]

    def _measured(self, sandbox: Sandbox, inputs: Inputs) -> float:
        """Return the reference's seconds on all cases, measured in a separate process."""
        limits = Limits(MOST_SECONDS, load=LOAD_SECONDS, memory=MEMORY, total=MOST_TOTAL)
        program = Program.of(self.task)
        used = 0.0

        def goes_on(_: int, outcome: Outcome) -> bool:
            nonlocal used
            # The reference's process ended, so later cases have no times. The time used so far
            # counts.
            if isinstance(outcome, OutOfMemory | Crashed):
                return False
            used += max(0.0, outcome.cpu)
            return not isinstance(outcome, TimedOut)

        run = sandbox.beside().run(program, inputs, limits, on_outcome=goes_on, timed=True)
        # The program's own clock excludes the start of its process; the kernel's figure is an upper
        # bound.
        return min(used, run.cpu)

    def _path(self, inputs: str) -> Path | None:
        task = self.task
        facts = [FORMAT, machine(), task.reference, task.entry_point, task.harness.row, inputs]
        return cache_path(self.cache, "reference-times", facts)


@cache
def machine() -> str:
    """Return an identifier of a machine's speed: name, processor, interpreter."""
    model = platform.processor()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        names = (line.partition(":")[2].strip() for line in file if line.startswith("model name"))
        model = next(names, model)
    return f"{platform.node()} {model} {platform.machine()} {sys.version}"


def _seconds(file: BinaryIO) -> float:
    seconds = float(json.load(file)["seconds"])
    if not 0 <= seconds < float("inf"):
        raise ValueError(seconds)
    return seconds


# A program's raised limit, after the usual one, based on the reference.

MOST_STEPS = 1 << 30  # maximum steps to count: about a minute on a usual machine


@dataclass(frozen=True, slots=True)
class ByTime:
    """A program may take ``preset.factor`` times as long as the reference on this machine."""

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

    In seconds, it gets the CPU limit for these steps, or the same multiple of the reference's time,
    because work in built-in functions is not counted in steps.
    """

    task: Task
    cases: Sequence[Case]
    factor: float = 4.0
    known: dict[int, int] = field(default_factory=dict)
    """The reference's steps by case, as far as they were counted."""
    own_clock: bool = field(default=True, init=False)

    def limit(self, sandbox: Sandbox, program: Program, limits: Limits, case: int) -> float:
        """Return the case's CPU limit; 0 if the program exceeds its steps."""
        arguments = self.cases[case].arguments
        least = Allowance(FEWEST)
        allowance = Allowance(max(FEWEST, round(self.factor * self._steps(sandbox, case))))
        # Steps first, because their decision is the same on every machine. Time is only for
        # built-in functions, whose work is not counted.
        if exceeds(sandbox, program, arguments, allowance, limits):
            return 0.0
        if allowance.cpu_limit > least.cpu_limit:
            return allowance.cpu_limit
        times = ReferenceTimes(self.task, (self.cases[case],))
        return max(least.cpu_limit, self.factor * times.of(sandbox, 0))

    def total(self, sandbox: Sandbox) -> float:
        """Return 0, so that the generous limit applies."""
        return 0.0

    def _steps(self, sandbox: Sandbox, case: int) -> int:
        if case not in self.known:
            self.known[case] = reference_steps(sandbox, self.task, [self.cases[case]])[0]
        return self.known[case]


TimePolicy: TypeAlias = ByTime | BySteps
"""A program's limits beyond the usual ones; ``own_clock``: programs measure themselves."""


def reference_steps(
    sandbox: Sandbox, task: Task, cases: Sequence[Case], *, most: int = MOST_STEPS
) -> list[int]:
    """Return the steps of a task's reference on each case, up to about ``most``."""
    program = Program.of(task)
    inputs = Inputs.of(case.arguments for case in cases)
    limits = Limits(load=10.0, memory=4 << 30)
    counted = count(sandbox, program, inputs, limits, most=most)
    return [most if steps is None else steps for steps in counted]
