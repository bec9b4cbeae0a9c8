"""Observation of a program's run on a suite: verdicts by case, and first failures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from evalplus_lite.errors import CodecError, ContractError
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.contracts import accepts, has_check, run_check
from evalplus_lite.types import (
    Case,
    Crashed,
    Failure,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Rule,
    Suite,
    Task,
    TimedOut,
    Unrepresentable,
    VerdictName,
)
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal, exact, is_something
from evalplus_lite.values.source import shown

# Pure functions from outcomes and expected values to verdicts.

# Wrong answers up to this many bytes are read completely, to distinguish wrong values from
# malformed data.
CHECKED_BYTES = 1 << 12


WITHOUT_ANSWER: Mapping[type[Outcome], VerdictName] = {
    Raised: "error",
    TimedOut: "timeout",
    Crashed: "crash",
    OutOfMemory: "memory",
    Unrepresentable: "unrepresentable",
}


def judge(outcome: Outcome, expected: bytes, rule: Rule) -> VerdictName:
    """Return the verdict on an outcome, given the wire form of the right answer."""
    if isinstance(outcome, Returned):
        # From cheap to expensive: equal bytes, then equality by the rule. Only short wrong answers
        # are read completely.
        if outcome.data == exact(expected, rule):
            return "pass"
        try:
            if equal(outcome.data, expected, rule):
                return "pass"
            if len(outcome.data) <= CHECKED_BYTES:
                wire.check(outcome.data)
        except CodecError:
            return "unrepresentable"
        return "fail"
    if isinstance(outcome, Unrepresentable) and rule.kind == "truthiness":
        # A value of another type is neither None nor False.
        return "pass" if is_something(expected) else "fail"
    return WITHOUT_ANSWER[type(outcome)]


def explain(case: int, verdict: VerdictName, outcome: Outcome, expected: bytes) -> Failure:
    """Return the failure of a case, with one readable line on it."""
    if not isinstance(outcome, Returned):
        return Failure(case, verdict, str(outcome), getattr(outcome, "line", None))
    try:
        got = shown(outcome.data)
    except CodecError as error:
        got = f"a value that cannot be read ({error})"
    detail = f"got {got}, expected {shown(expected)}"
    return Failure(case, verdict, detail, actual=outcome.data)


# Maximum bytes of answers kept for a task's check, or four times those of all right answers if that
# is more. Larger answers are wrong.
MAX_DEFERRED = 16 << 20
# Maximum total values, including parts, in a program's answers for a task's check, in addition to
# four times those of the reference's answers to the same cases.
MAX_PARTS = 200_000
KILLED = "SIGKILL"
# Maximum bytes of an answer whose verdict is cached, and maximum number of such verdicts.
LONGEST_KNOWN, MOST_KNOWN = 1 << 8, 1 << 15


@dataclass(slots=True)
class VerdictObserver:
    """Observes a program's run and records everything that decides its verdict."""

    task: Task
    suite: Suite
    details: list[VerdictName | None] | None
    failure_budget: float = math.inf
    """The total cost of verdicts after which the program is stopped."""
    costs: Mapping[VerdictName, int] = field(default_factory=dict)
    """Costs by verdict."""
    judged: dict[tuple[int, bytes], VerdictName] | None = None
    """A cache of verdicts on wrong answers by case, as other programs may give the same ones."""
    deferred: dict[int, bytes] = field(default_factory=dict)
    base: Failure | None = None
    plus: Failure | None = None
    kept: int = 0

    def equal(self, first: int, last: int) -> bool:
        """Record that cases were answered with exactly the expected bytes."""
        if self.details is not None:
            self.details[first:last] = ["pass"] * (last - first)
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Judge the outcome of a case; return whether to continue."""
        # A task's own check judges all answers in one process at the end. An answer beyond the
        # limit is judged here, and is wrong because it differs from the expected bytes.
        if isinstance(outcome, Returned) and has_check(self.task) and self.keeps(len(outcome.data)):
            self.deferred[case] = outcome.data
            return True
        verdict = self.judge(case, outcome)
        self.book(case, verdict, outcome)
        if verdict == "pass":
            return True
        self.failure_budget -= self.costs.get(verdict, 0)
        # Without details, the first failure decides the verdict and ends the run.
        return self.details is not None and self.failure_budget > 0

    def judge(self, case: int, outcome: Outcome) -> VerdictName:
        """Return the verdict on an outcome, from the cache if the answer was judged before."""
        if self.judged is None or not isinstance(outcome, Returned):
            return judge(outcome, self.suite.expected[case], self.task.rule)
        key = case, outcome.data
        verdict = self.judged.get(key)
        if verdict is None:
            verdict = judge(outcome, self.suite.expected[case], self.task.rule)
            if len(outcome.data) <= LONGEST_KNOWN and len(self.judged) < MOST_KNOWN:
                self.judged[key] = verdict
        return verdict

    def keeps(self, size: int) -> bool:
        """Return whether another answer of ``size`` bytes can be kept for the check."""
        self.kept += size
        return self.kept <= max(MAX_DEFERRED, 4 * self.suite.blobs.size)

    def book(self, case: int, verdict: VerdictName, outcome: Outcome) -> None:
        """Record the verdict on a case, and the first failures on base cases and on others."""
        if self.details is not None:
            self.details[case] = verdict
        is_base = case < self.suite.base_count
        known = self.base if is_base else self.plus
        # Deferred answers are judged after later cases, so failures may arrive out of order.
        if verdict == "pass" or (known is not None and known.case <= case):
            return
        failure = explain(case, verdict, outcome, self.suite.expected[case])
        if is_base:
            self.base = failure
        else:
            self.plus = failure


def is_killed(failure: Failure | None) -> bool:
    """Return whether the system, short of memory, may have caused a failure."""
    return failure is not None and failure.detail == KILLED


def check_deferred(sandbox: Sandbox, observer: VerdictObserver) -> None:
    """Let the task's own check judge the answers that differ from the reference's.

    The check sees expected values, so it runs in its own process with its own inputs.
    """
    if not observer.deferred:
        return
    task, suite = observer.task, observer.suite
    # First the cheap decisions: equal by the rule, or too large to check. Only the rest needs the
    # check, and only here is there a limit on all answers together.
    rows, parts = list[tuple[Case, bytes, bytes]](), MAX_PARTS
    numbers: list[int] = []
    for case, data in sorted(observer.deferred.items()):
        expected = suite.expected[case]
        verdict = judge(Returned(data), expected, task.rule)
        if verdict == "fail":
            try:
                # Count parts, not only bytes, because a few bytes per value can become large
                # objects in the check.
                parts += 4 * wire.check(expected)
                parts -= wire.check(data, most=parts)
            except CodecError:
                verdict = "unrepresentable"
            else:
                rows.append((suite.cases[case], data, expected))
                numbers.append(case)
                continue
        observer.book(case, verdict, Returned(data))
    if not rows:
        return
    # A sample may choose values on which the check is slow, so the first rejection ends it, unless
    # the verdict on every case was requested.
    every = observer.details is not None
    run = run_check(sandbox, task, rows, on_outcome=lambda _, outcome: every or accepts(outcome))
    if run.load_failed:
        raise ContractError(f"{task.id}: the contract does not load: {run.outcomes[0]}")
    for case, outcome in zip(numbers, run.outcomes, strict=True):
        answer = Returned(observer.deferred[case])
        observer.book(case, "pass" if accepts(outcome) else "fail", answer)
