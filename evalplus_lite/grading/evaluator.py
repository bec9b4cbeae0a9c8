"""The one evaluator: a program against a suite gives a verdict.

Expected outputs stay here, in the supervisor; the sandbox sees the inputs only. Base cases run
first: a program that fails one is not run on the rest, unless all details are requested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from evalplus_lite.errors import CodecError, ContractError, UnusableTask
from evalplus_lite.grading.paces import BySteps, ByTime, Pace
from evalplus_lite.grading.reference_times import ReferenceTimes
from evalplus_lite.grading.verdicts import explain, judge
from evalplus_lite.sandbox import Expected, Inputs, Limits, Preset, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST, Allowance
from evalplus_lite.tasks.contracts import CHECK_LIMITS, accepts, has_check
from evalplus_lite.types import Failure, Outcome, Returned, Suite, Task, Verdict, VerdictName
from evalplus_lite.values import wire

MAX_DEFERRED = 16 << 20
"""Bytes of answers kept for a task's check, or four times as many as all right answers have; what
is larger in all is not right."""
MAX_PARTS = 200_000
"""Values, parts and all, that a program's answers to a task's check may hold together, beside four
times as many as the reference's answers to the same cases."""
FAR_OFF_SECONDS = 300.0
"""What all cases of a program together may take where steps decide."""
KILLED = "SIGKILL"


@dataclass(frozen=True, slots=True)
class PreparedSuite:
    """A task's suite, ready to be run: inputs encoded, answers joined, limits set, all once."""

    task: Task
    suite: Suite
    inputs: Inputs
    expected: Expected
    limits: Limits
    pace: Pace | None = None
    """What a case may use beyond the limit; None: nothing."""
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
        steps: Sequence[int] = (),
        fewest: int = FEWEST,
    ) -> PreparedSuite:
        """Prepare a suite so that verdicts are the same on every machine, however busy it is.

        A program may take ``fewest`` steps on a case, or four times the reference's. For
        programs that gain nothing by passing: a program can cheat the count. ``steps`` are the
        reference's by case, if they are known. Raises as ``of``.
        """
        pace = BySteps(task, suite.cases, known=dict(enumerate(steps)), fewest=fewest)
        limits = Limits(cpu=Allowance(fewest).unasked, memory=memory, total=FAR_OFF_SECONDS)
        return cls._of(task, suite, pace, limits)

    @classmethod
    def _of(
        cls, task: Task, suite: Suite, pace: Pace, limits: Limits, has_plus: bool = True
    ) -> PreparedSuite:
        if not suite.cases:
            raise UnusableTask(task.id, "no inputs", "its suite has no cases")
        output = max(limits.output, 4 * suite.blobs.size)
        inputs = Inputs.of(case.arguments for case in suite.cases)
        expected = Expected.of(suite.expected)
        return cls(task, suite, inputs, expected, replace(limits, output=output), pace, has_plus)


@dataclass(slots=True)
class _Observer:
    """Observes one program's run and keeps what decides its verdict."""

    prepared: PreparedSuite
    details: list[VerdictName | None] | None
    timeouts_left: float = math.inf
    """Cases that may run out of time before the program is run no further."""
    deferred: dict[int, bytes] = field(default_factory=dict)
    base: Failure | None = None
    plus: Failure | None = None
    kept: int = 0

    def equal(self, first: int, last: int) -> bool:
        if self.details is not None:
            self.details[first:last] = ["pass"] * (last - first)
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        suite, task = self.prepared.suite, self.prepared.task
        if isinstance(outcome, Returned) and has_check(task) and self.keeps(len(outcome.data)):
            self.deferred[case] = outcome.data
            return True
        verdict = judge(outcome, suite.expected[case], task.rule)
        if self.details is not None:
            self.details[case] = verdict
        if verdict == "pass":
            return True
        self.timeouts_left -= verdict == "timeout"
        if self.is_first(case):
            self.fail(explain(case, verdict, outcome, suite.expected[case]))
        return self.details is not None and self.timeouts_left > 0

    def keeps(self, size: int) -> bool:
        """Return whether another answer of ``size`` bytes can wait for the check."""
        self.kept += size
        return self.kept <= max(MAX_DEFERRED, 4 * self.prepared.suite.blobs.size)

    def is_first(self, case: int) -> bool:
        """Return whether a failure would be the first among the base cases or among the others."""
        known = self.base if case < self.prepared.suite.base_count else self.plus
        return known is None or case < known.case

    def fail(self, failure: Failure) -> None:
        """Keep a failure that is the first of its kind."""
        if failure.case < self.prepared.suite.base_count:
            self.base = failure
        else:
            self.plus = failure


def evaluate_program(
    sandbox: Sandbox,
    prepared: PreparedSuite,
    source: str,
    *,
    details: bool = False,
    most_slow: int | None = None,
) -> Verdict:
    """Run a program on a suite and return its verdict.

    ``base`` is about the task's own cases, ``plus`` about all cases: a program passes plus only
    if it passes base. With ``details`` every case is run and its verdict returned, with
    ``most_slow`` only until so many have run out of time. Raises InfrastructureError if the machine
    fails three times in a row, which is not a verdict, and ContractError if the task's own check
    does not load.
    """
    patience = math.inf if most_slow is None else most_slow
    verdict = _evaluated(sandbox, prepared, source, details=details, patience=patience)
    if verdict.failure is not None and verdict.failure.detail == KILLED:
        # Perhaps not the program's doing: a kernel that is short of memory kills some process.
        verdict = _evaluated(sandbox, prepared, source, details=details, patience=patience)
    return verdict


def _evaluated(
    sandbox: Sandbox, prepared: PreparedSuite, source: str, *, details: bool, patience: float
) -> Verdict:
    count = len(prepared.suite.cases)
    observer = _Observer(prepared, [None] * count if details else None, patience)
    program = Program(source, prepared.task.entry_point)
    pace = prepared.pace

    def more(case: int | None) -> float:
        if pace is None:
            return 0.0
        if case is None:
            return pace.total(sandbox)
        return pace.limit(sandbox, program, prepared.limits, case)

    cpu, _ = sandbox.watch(
        program,
        prepared.inputs,
        prepared.limits,
        observer,
        expected=prepared.expected,
        more=None if pace is None else more,
        own_clock=pace is not None and pace.own_clock,
    )
    if observer.deferred:
        _check(sandbox, prepared, observer)
    worst = observer.base or observer.plus
    # Without a base case, the others are the only evidence.
    base = observer.base if prepared.suite.base_count else worst
    whole: VerdictName = "pass" if worst is None else worst.verdict
    return Verdict(
        base="pass" if base is None else base.verdict,
        plus=whole if prepared.has_plus else None,
        failure=worst,
        details=None if observer.details is None else tuple(observer.details),
        cpu=cpu,
    )


def _check(sandbox: Sandbox, prepared: PreparedSuite, observer: _Observer) -> None:
    """Have the task's own check judge the answers that differ from the reference's.

    It sees expected values, so it runs in a process of its own with inputs of its own.
    """
    contract = prepared.task.contract
    assert contract is not None
    rows, numbers, parts = [], [], MAX_PARTS
    for case, data in sorted(observer.deferred.items()):
        expected = prepared.suite.expected[case]
        verdict = judge(Returned(data), expected, prepared.task.rule)
        if verdict == "fail":
            try:
                parts += 4 * wire.check(expected)
                parts -= wire.check(data, most=parts)
            except CodecError:
                verdict = "unrepresentable"
            else:
                arguments = list(prepared.suite.cases[case].arguments)
                rows.append((wire.encode(arguments), data, expected))
                numbers.append(case)
                continue
        _book(prepared, observer, case, verdict, Returned(data))
    if not rows:
        return
    inputs = Inputs.joined(rows, private=True)
    # A sample may choose values that the check is slow on, so the first refusal ends it, unless
    # the verdict on every case was requested.
    every = observer.details is not None
    run = sandbox.run(
        Program(contract, "check"),
        inputs,
        CHECK_LIMITS,
        judge=lambda _, outcome: every or accepts(outcome),
    )
    if run.load_failed:
        raise ContractError(f"{prepared.task.id}: the contract does not load: {run.outcomes[0]}")
    for case, outcome in zip(numbers, run.outcomes, strict=True):
        data = observer.deferred[case]
        _book(prepared, observer, case, "pass" if accepts(outcome) else "fail", Returned(data))


def _book(
    prepared: PreparedSuite, observer: _Observer, case: int, verdict: VerdictName, outcome: Outcome
) -> None:
    if observer.details is not None:
        observer.details[case] = verdict
    if verdict != "pass" and observer.is_first(case):
        observer.fail(explain(case, verdict, outcome, prepared.suite.expected[case]))


# The names that modules which are being rewritten still use.
Exam: TypeAlias = PreparedSuite
examine = evaluate_program
