"""The evaluator, the only one: run a program on a suite and return a verdict.

Expected outputs stay here, in the supervisor; the sandbox sees only the inputs. Base cases run
first: a program that fails one is not run on the rest, unless details are requested.
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
others, which would take hours on a large suite and reveal nothing new."""
LATE_SECONDS = 4.0
"""With a longer limit, a case that was too slow counts as several, so that such cases take about
half a minute in total; but at most as ``MOST_LATE``, so two of any length are allowed."""
MOST_LATE = MOST_LOST // 2
FAR_OFF_SECONDS = 300.0  # limit on all cases of a program together if steps decide


@dataclass(frozen=True, slots=True)
class PreparedSuite:
    """A task's suite, ready to run: inputs are encoded, answers joined and limits set once."""

    task: Task
    suite: Suite
    inputs: Inputs
    expected: Expected
    limits: Limits
    policy: TimePolicy | None = None
    """The policy for limits beyond ``limits.cpu``; None for none."""
    has_plus: bool = True
    """Whether there is a verdict on plus cases; False if no task of the dataset has any."""

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

        ``total`` limits the seconds that all cases together compute, and also those that they wait
        (None: ``preset.total``). ``cache`` is a folder for the reference's times, once they are
        measured. Raises UnusableTask for a suite without cases, which every program would
        pass.
        """
        # The floor comes first, because it needs no measurement. Only when a program reaches it
        # does ``policy`` time the reference, on the judging machine.
        policy = ByTime(preset, ReferenceTimes(task, suite.cases, cache), total is not None)
        load = max(Limits().load, preset.floor)
        whole = preset.total(len(suite.cases)) if total is None else total
        limits = Limits(cpu=preset.floor, load=load, memory=memory, total=whole)
        return cls._of(task, suite, policy, limits, has_plus)

    @classmethod
    def by_steps(
        cls,
        task: Task,
        suite: Suite,
        *,
        memory: int = 1 << 30,
    ) -> PreparedSuite:
        """Prepare a suite so that verdicts are the same on every machine, whatever its load.

        A program may take ``FEWEST`` steps on a case, or four times the reference's. Use it only
        for programs that gain nothing by cheating the count. Raises as ``of`` does.
        """
        policy = BySteps(task, suite.cases)
        limits = Limits(cpu=Allowance(FEWEST).safe_seconds, memory=memory, total=FAR_OFF_SECONDS)
        return cls._of(task, suite, policy, limits)

    @classmethod
    def _of(
        cls, task: Task, suite: Suite, policy: TimePolicy, limits: Limits, has_plus: bool = True
    ) -> PreparedSuite:
        if not suite.cases:
            raise UnusableTask(task.id, "no inputs", "its suite has no cases")
        # Answers may be four times as large as all expected ones: a wrong answer may be larger than
        # the right one, but must not fill the memory of this process.
        output = max(limits.output, 4 * suite.blobs.size)
        inputs = Inputs.of(case.arguments for case in suite.cases)
        answers = suite.expected
        # Bytes are compared with one right answer. If several are listed, or tests report more than
        # their result, one right form of each is chosen.
        if task.rule.kind == "any":  # the list of right answers is none
            answers = [exact(data, task.rule) or data for data in answers]
        elif is_tested(task):
            answers = [shown_part(data) for data in answers]
        expected = Expected.of(answers)
        return cls(task, suite, inputs, expected, replace(limits, output=output), policy, has_plus)


def evaluate_program(
    sandbox: Sandbox, prepared: PreparedSuite, source: str, *, details: bool = False
) -> Verdict:
    """Run a program on a suite and return its verdict.

    ``base`` covers the base cases, ``plus`` all cases: a program passes plus only if it passes
    base. With ``details`` every case is run and its verdict returned. Verdicts are None after the
    program was too slow, too large or crashed on ``MOST_LOST`` cases, or fewer if the limit is
    several seconds. Raises InfrastructureError if the machine fails three times in a row, which is
    not a verdict, and ContractError if the task's own check does not load.
    """
    verdict = _evaluated(sandbox, prepared, source, details=details)
    # Retry only once: a program that needs more memory than there is would be killed again.
    if is_killed(verdict.failure):
        # It may not be the program's fault, as a kernel that is short of memory kills processes.
        verdict = _evaluated(sandbox, prepared, source, details=details)
    return verdict


def lost_costs(seconds: float) -> Mapping[VerdictName, int]:
    """Return how many of ``MOST_LOST`` a lost case counts as, by verdict, given its time limit."""
    # A case that crashed or ran out of memory took little time, so it counts once.
    late = min(max(1, math.ceil(seconds / LATE_SECONDS)), MOST_LATE)
    return {"timeout": late, "memory": 1, "crash": 1}


def _evaluated(sandbox: Sandbox, prepared: PreparedSuite, source: str, *, details: bool) -> Verdict:
    # Order: run the cases, base first, comparing bytes; let the task's check judge answers that
    # differ; turn the first failures into a verdict.
    task, suite = prepared.task, prepared.suite
    count = len(suite.cases)
    verdicts: list[VerdictName | None] | None = [None] * count if details else None
    costs = lost_costs(prepared.limits.cpu)
    observer = VerdictObserver(task, suite, verdicts, failure_budget=MOST_LOST, costs=costs)
    program = Program.of(task, source)
    policy = prepared.policy

    def raise_limit(case: int | None) -> float:
        if policy is None:
            return 0.0
        # None means the total limit of all cases, which the sandbox requests when it is
        # reached.
        if case is None:
            return policy.total(sandbox)
        return policy.limit(sandbox, program, prepared.limits, case)

    spent, _ = sandbox.watch(
        program,
        prepared.inputs,
        prepared.limits,
        observer,
        expected=prepared.expected,
        raise_limit=None if policy is None else raise_limit,
        own_clock=policy is not None and policy.own_clock,
    )
    check_deferred(sandbox, observer)
    # The first base failure decides; a plus failure counts only if all base cases pass.
    worst = observer.base or observer.plus
    # Without base cases, the others are the only evidence.
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
