"""Expected outputs: the reference run twice, in different processes and hash seeds.

An input whose answer is not reproducible, not plain, or too slow is of no use as a test: it is
dropped, and counted by cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.compare import matches
from evalplus_lite.contract import parse, violations
from evalplus_lite.errors import ReferenceError_
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, wire
from evalplus_lite.types import (
    Case,
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Suite,
    Task,
    TimedOut,
    Unrepresentable,
)

OTHER_HASH_SEED = 1
CAUSES: Mapping[type, str] = {
    Raised: "raises",
    TimedOut: "slow",
    Crashed: "crashes",
    OutOfMemory: "memory",
    Unrepresentable: "unrepresentable",
}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A case that is no test, why (``invalid``, ``raises``, ``slow``, ``unstable``, ...)."""

    case: Case
    cause: str
    detail: str


@dataclass(frozen=True, slots=True)
class Answers:
    """A suite of the cases that the reference answers, and the cases that were dropped."""

    suite: Suite
    dropped: tuple[Dropped, ...]
    kept: tuple[int, ...]
    """Which of the given cases were kept, by position."""

    @property
    def causes(self) -> dict[str, int]:
        """How many cases were dropped for each cause, by name."""
        return dict(sorted(Counter(drop.cause for drop in self.dropped).items()))


def answer(
    sandbox: Sandbox,
    task: Task,
    cases: Sequence[Case],
    *,
    base_count: int,
    limits: Limits,
    twice: bool = True,
    contract: bool = True,
    max_failures: int | None = None,
) -> Answers:
    """Run the reference on the cases and return what can be kept.

    The first ``base_count`` cases are the task's own. With ``contract`` a case that violates the
    task's precondition is dropped as ``invalid``; with ``twice`` the reference runs again under
    another hash seed and must answer alike. ``max_failures`` stops after so many slow or crashing
    cases, each of which costs its whole limit: the rest is dropped as ``budget``. Raises
    ReferenceError_ where the reference does not load.
    """
    dropped: dict[int, Dropped] = {}
    if contract and task.contract is not None:
        for number, reason in enumerate(violations(sandbox, task.contract, cases)):
            if reason is not None:
                dropped[number] = Dropped(cases[number], "invalid", reason)
    live = [number for number in range(len(cases)) if number not in dropped]
    first = _run(sandbox, task, [cases[n] for n in live], limits, max_failures)
    for number, outcome in zip(live, first, strict=True):
        if outcome is None:
            dropped[number] = Dropped(cases[number], "budget", "too many slow inputs before it")
        elif not isinstance(outcome, Returned):
            dropped[number] = Dropped(cases[number], CAUSES[type(outcome)], _describe(outcome))
    found = {number: outcome for number, outcome in zip(live, first, strict=True)
             if number not in dropped and isinstance(outcome, Returned)}  # fmt: skip
    if twice:
        _compare(sandbox, task, cases, found, dropped, limits)
    kept = tuple(sorted(found))
    suite = Suite(
        task.id,
        tuple(cases[number] for number in kept),
        tuple(found[number].data for number in kept),
        tuple(round(found[number].cpu, 6) for number in kept),
        sum(number < base_count for number in kept),
    )
    return Answers(_relinked(suite, kept), tuple(dropped[n] for n in sorted(dropped)), kept)


def _run(
    sandbox: Sandbox,
    task: Task,
    cases: Sequence[Case],
    limits: Limits,
    max_failures: int | None,
) -> Sequence[Outcome | None]:
    if not cases:
        return ()
    failures = 0

    def judge(_: int, outcome: Outcome) -> bool:
        nonlocal failures
        failures += isinstance(outcome, TimedOut | Crashed | OutOfMemory)
        return max_failures is None or failures < max_failures

    inputs = Inputs.of(case.arguments for case in cases)
    program = Program(task.reference, task.entry_point)
    run = sandbox.run(program, inputs, limits, judge=judge, timed=True)
    if run.load_failed:
        raise ReferenceError_(f"{task.id}: the reference does not load: {run.outcomes[0]}")
    return run.outcomes


def _compare(
    sandbox: Sandbox,
    task: Task,
    cases: Sequence[Case],
    found: dict[int, Returned],
    dropped: dict[int, Dropped],
    limits: Limits,
) -> None:
    """Run again under another hash seed; move what differs from ``found`` to ``dropped``."""
    numbers = sorted(found)
    other = sandbox.sibling(hash_seed=OTHER_HASH_SEED)
    # What was just within the limit may be just beyond it now: time decides nothing here.
    roomy = replace(limits, cpu=10 * limits.cpu if isinstance(limits.cpu, float) else limits.cpu)
    again = _run(other, task, [cases[n] for n in numbers], roomy, None)
    for number, outcome in zip(numbers, again, strict=True):
        if isinstance(outcome, Returned) and same(found[number].data, outcome.data, task):
            if outcome.cpu < found[number].cpu:
                found[number] = replace(found[number], cpu=outcome.cpu)
            continue
        del found[number]
        dropped[number] = Dropped(cases[number], "unstable", "another run answered otherwise")


def same(a: bytes, b: bytes, task: Task) -> bool:
    """Return whether two answers in wire form are the same by the task's rule."""
    return a == b or matches(wire.decode(a), wire.decode(b), task.rule)


def _relinked(suite: Suite, kept: tuple[int, ...]) -> Suite:
    """Point each case's parent at its place in the suite; None where the parent was dropped."""
    place = {old: new for new, old in enumerate(kept)}
    cases = tuple(
        replace(case, parent=place.get(case.parent)) if case.parent is not None else case
        for case in suite.cases
    )
    return replace(suite, cases=cases)


def _describe(outcome: Outcome) -> str:
    if isinstance(outcome, Raised):
        return f"{outcome.type}: {outcome.message}"[:200]
    if isinstance(outcome, TimedOut):
        return f"{outcome.cpu:.2f} s of {outcome.limit:.2f} s"
    if isinstance(outcome, Crashed | Unrepresentable):
        return outcome.reason if isinstance(outcome, Crashed) else outcome.type
    return ""


def has_check(task: Task) -> bool:
    """Whether the task's contract says by itself which answers are right."""
    return task.contract is not None and parse(task.contract).has_check
