"""The one evaluator: a program against a suite gives a verdict.

Expected outputs stay here, in the supervisor; the sandbox sees the inputs only. Base cases run
first: a program that fails one is not run on the rest, unless all details are requested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading.observer import VerdictObserver, check_deferred, is_killed
from evalplus_lite.grading.reference_runs import is_tested, shown_part
from evalplus_lite.grading.times import BySteps, ByTime, ReferenceTimes, TimePolicy
from evalplus_lite.sandbox import Expected, Inputs, Limits, Preset, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance
from evalplus_lite.types import Suite, Task, Verdict, VerdictName
from evalplus_lite.values.equality import exact

MOST_LOST = 8
"""With details, a program that was too slow, too large or crashed on this many cases is not run on
others: that would take hours on a large suite, and show no more."""
LATE_SECONDS = 4.0
"""Under a limit above this a case that was too slow counts as several, so that such cases take some
half a minute together; but as no more than ``MOST_LATE``: there may be two of any length."""
MOST_LATE = MOST_LOST // 2
FAR_OFF_SECONDS = 300.0  # for all cases of a program together where steps decide


@dataclass(frozen=True, slots=True)
class PreparedSuite:
    """A task's suite, ready to be run: inputs encoded, answers joined, limits set, all once."""

    task: Task
    suite: Suite
    inputs: Inputs
    expected: Expected
    limits: Limits
    pace: TimePolicy | None = None
    """The limit beyond ``limits.cpu``; None: none."""
    has_plus: bool = True
    """Whether there is a verdict on plus cases; False if the whole dataset has none."""

    @classmethod
    def of(
        cls,
        task: Task,
        suite: Suite,
        preset: Preset,
        *,
        memory: int = 1 << 30,
        total: float | None = None,
        cache: Path | None = None,
        has_plus: bool = True,
    ) -> PreparedSuite:
        """Prepare a suite under a limits preset and a memory limit in bytes.

        ``total`` is how many seconds all cases together may compute, and how many they may wait
        (None: ``preset.total``). ``cache`` is a folder where the reference's times are kept once
        they were needed. Raises UnusableTask for a suite without a case: it would let every program
        pass.
        """
        # The floor comes first: it needs no measurement. Only a program that reaches it makes
        # ``pace`` time the reference, on the machine that judges.
        pace = ByTime(preset, ReferenceTimes(task, suite.cases, cache), total is not None)
        load = max(Limits().load, preset.floor)
        whole = preset.total(len(suite.cases)) if total is None else total
        limits = Limits(cpu=preset.floor, load=load, memory=memory, total=whole)
        return cls._of(task, suite, pace, limits, has_plus)

    @classmethod
    def by_steps(
        cls,
        task: Task,
        suite: Suite,
        *,
        memory: int = 1 << 30,
    ) -> PreparedSuite:
        """Prepare a suite so that verdicts are the same on every machine, however busy it is.

        A program may take ``FEWEST`` steps on a case, or four times the reference's. For
        programs that gain nothing by passing: a program can cheat the count. Raises as ``of``.
        """
        pace = BySteps(task, suite.cases)
        limits = Limits(cpu=Allowance(FEWEST).unasked, memory=memory, total=FAR_OFF_SECONDS)
        return cls._of(task, suite, pace, limits)

    @classmethod
    def _of(
        cls, task: Task, suite: Suite, pace: TimePolicy, limits: Limits, has_plus: bool = True
    ) -> PreparedSuite:
        if not suite.cases:
            raise UnusableTask(task.id, "no inputs", "its suite has no cases")
        # Answers may be four times as large as all expected ones: a wrong answer may be larger than
        # the right one, but not fill the memory of this process.
        output = max(limits.output, 4 * suite.blobs.size)
        inputs = Inputs.of(case.arguments for case in suite.cases)
        answers = suite.expected
        # What is compared byte by byte must be a right answer. Where several are listed, or tests
        # report more than their result, one right form of each is chosen for that.
        if task.rule.kind == "any":  # the list of right answers is none
            answers = [exact(data, task.rule) or data for data in answers]
        elif is_tested(task):
            answers = [shown_part(data) for data in answers]
        expected = Expected.of(answers)
        return cls(task, suite, inputs, expected, replace(limits, output=output), pace, has_plus)


def evaluate_program(
    sandbox: Sandbox, prepared: PreparedSuite, source: str, *, details: bool = False
) -> Verdict:
    """Run a program on a suite and return its verdict.

    ``base`` covers the task's own cases, ``plus`` all cases: a program passes plus only if it
    passes base. With ``details`` every case is run and its verdict returned. It is None for the
    cases after the program was too slow, too large or crashed on ``MOST_LOST``, or fewer under a
    limit of several seconds. Raises InfrastructureError if the machine fails three times in a row,
    which is not a verdict, and ContractError if the task's own check does not load.
    """
    verdict = _evaluated(sandbox, prepared, source, details=details)
    # Once only: a program that asks for more memory than there is would be killed each time.
    if is_killed(verdict.failure):
        # Perhaps not the program's doing: a kernel that is short of memory kills some process.
        verdict = _evaluated(sandbox, prepared, source, details=details)
    return verdict


def lost_costs(seconds: float) -> Mapping[VerdictName, int]:
    """Return how many of ``MOST_LOST`` a lost case counts as, by the seconds that it may take."""
    # A case that was stopped for memory or crashed cost little time, so it counts once.
    late = min(max(1, math.ceil(seconds / LATE_SECONDS)), MOST_LATE)
    return {"timeout": late, "memory": 1, "crash": 1}


def _evaluated(sandbox: Sandbox, prepared: PreparedSuite, source: str, *, details: bool) -> Verdict:
    # Order: run the cases, base first, while comparing bytes; then let the task's check judge the
    # answers that differ; then turn the first failures into a verdict.
    task, suite = prepared.task, prepared.suite
    count = len(suite.cases)
    verdicts: list[VerdictName | None] | None = [None] * count if details else None
    costs = lost_costs(prepared.limits.cpu)
    observer = VerdictObserver(task, suite, verdicts, patience=MOST_LOST, costs=costs)
    program = Program.of(task, source)
    pace = prepared.pace

    def more(case: int | None) -> float:
        if pace is None:
            return 0.0
        # No case means the limit on all cases together, which the sandbox asks for when it is
        # reached.
        if case is None:
            return pace.total(sandbox)
        return pace.limit(sandbox, program, prepared.limits, case)

    spent, _ = sandbox.watch(
        program,
        prepared.inputs,
        prepared.limits,
        observer,
        expected=prepared.expected,
        more=None if pace is None else more,
        own_clock=pace is not None and pace.own_clock,
    )
    check_deferred(sandbox, task, suite, observer)
    # The first base failure decides; a plus failure counts only if all base cases pass.
    worst = observer.base or observer.plus
    # Without a base case, the others are the only evidence.
    base = observer.base if suite.base_count else worst
    whole: VerdictName = "pass" if worst is None else worst.verdict
    return Verdict(
        base="pass" if base is None else base.verdict,
        plus=whole if prepared.has_plus else None,
        failure=worst,
        details=None if observer.details is None else tuple(observer.details),
        cpu=spent.cpu,
        memory=spent.memory,
    )
