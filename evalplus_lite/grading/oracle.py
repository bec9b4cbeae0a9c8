"""Expected outputs: the reference run twice, in different processes, hash seeds and orders.

An input whose answer is not reproducible, not a plain value, or too slow cannot be a test: it is
dropped, and counted by cause.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.errors import ReferenceSolutionError, UnusableTask
from evalplus_lite.grading.own_tests import in_common, is_tested, upheld
from evalplus_lite.grading.stability import agrees, as_truth, deranged, readable, stable
from evalplus_lite.grading.subsets import relinked, taken
from evalplus_lite.sandbox import Expected, Inputs, Limits, More, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.store.compressed import LARGE, Blobs, Packed
from evalplus_lite.tasks.contracts import as_text, violations
from evalplus_lite.types import (
    Case,
    Cause,
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Suite,
    Task,
    TimedOut,
    Unrepresentable,
    clip,
)
from evalplus_lite.values import wire
from evalplus_lite.values.excerpts import SHOWN_BYTES, shorten

OTHER_HASH_SEED = 1
NO_REFERENCE = "it has no reference"
# Runs after the first; a reference that still answers otherwise then has no stable answer.
ROUNDS = 4
SLOW = (TimedOut, Crashed, OutOfMemory)  # outcomes that cost a process, and often the whole limit
CAUSES: Mapping[type, Cause] = {
    Raised: "raises",
    TimedOut: "slow",
    Crashed: "crashes",
    OutOfMemory: "memory",
    Unrepresentable: "unrepresentable",
}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A case that cannot be a test, why, and a readable line on what happened."""

    case: Case
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Answers:
    """A suite of the cases that the reference answers, and the cases that were dropped."""

    suite: Suite
    dropped: tuple[Dropped, ...]
    kept: tuple[int, ...]
    """Which of the given cases were kept, by position."""

    @classmethod
    def of(cls, suite: Suite) -> Answers:
        """Return the answers of a suite, nothing of which was dropped."""
        return cls(suite, (), tuple(range(len(suite.cases))))

    def only(self, places: Sequence[int]) -> Answers:
        """Return the answers at these positions of the suite; what was dropped stays listed."""
        kept = tuple(self.kept[place] for place in places)
        return replace(self, suite=taken(self.suite, places), kept=kept)

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

    The first ``base_count`` cases are the task's own. With ``contract`` a case that the task's
    precondition refuses is dropped as ``invalid``, one that it fails on as ``contract``; with
    ``twice`` the reference runs again under another hash seed, its cases in another order, and must
    answer the same, as ``stable`` says. ``max_failures`` stops after so many slow or crashing
    cases, each of which costs its whole limit: the rest is dropped as ``budget``. An answer other
    than the one that the task came with is dropped as ``expected``. Raises ReferenceSolutionError
    if the reference does not load, UnusableTask if there is none.
    """
    if not task.reference:
        raise UnusableTask(task.id, "no reference", NO_REFERENCE)
    dropped: dict[int, Dropped] = {}
    inputs = Inputs.of(case.arguments for case in cases)
    if contract and task.contract is not None:
        reasons = violations(sandbox, task.contract, cases, inputs=inputs)
        for number, violation in enumerate(reasons):
            if violation is not None:
                cause: Cause = "contract" if violation.faulty else "invalid"
                dropped[number] = Dropped(cases[number], cause, clip(violation.reason))
    live = [number for number in range(len(cases)) if number not in dropped]
    if dropped:
        inputs = Inputs.of(cases[number].arguments for number in live)
    program = Program.of(task)
    arguments = [cases[number].arguments for number in live]
    meter = Meter(sandbox, program, arguments, limits)
    first = _Answers(task, max_failures, meter)
    _run(sandbox, task, inputs, meter.limits, first, more=meter.more)
    for place, number in enumerate(live):
        if place not in first.answers:
            dropped[number] = _drop(cases[number], first.failed.get(place), meter)
    places, varied = sorted(first.answers), dict[int, bytes]()
    if twice:
        # It has answered within its steps, so time should decide nothing: the limit is generous.
        roomy = replace(limits, cpu=10 * meter.allowance.patience)
        now = {place: cases[live[place]] for place in places}
        for place, detail in _unstable(sandbox, task, now, first.answers, roomy, varied).items():
            dropped[live[place]] = Dropped(now[place], "unstable", detail)
    if is_tested(task):
        left = {place: cases[live[place]] for place in places if live[place] not in dropped}
        for place, (cause, detail) in _failed(sandbox, task, left, first.answers, varied).items():
            dropped[live[place]] = Dropped(left[place], cause, detail)
    answers = {live[p]: first.answers[p] for p in places if live[p] not in dropped}
    for number, given in enumerate(task.outputs[:base_count]):
        if number in answers and not agrees(answers[number], given, task):
            detail = f"{_shown(given)}, the reference answers {_shown(answers.pop(number))}"
            dropped[number] = Dropped(cases[number], "expected", detail)
        elif number in answers:
            answers[number] = given
    kept = tuple(sorted(answers))
    suite = Suite(
        task.id,
        relinked((cases[number] for number in kept), kept),
        Blobs(answers[number] for number in kept),
        sum(number < base_count for number in kept),
    )
    return Answers(suite, tuple(dropped[n] for n in sorted(dropped)), kept)


def _unstable(
    sandbox: Sandbox,
    task: Task,
    cases: Mapping[int, Case],
    answers: Mapping[int, bytes | Packed],
    limits: Limits,
    varied: dict[int, bytes],
) -> dict[int, str]:
    """Return the cases that the reference answers differently the second time, with what it does.

    It runs in another process, under another hash seed, and in an order in which no case is at its
    old position: a case whose answer depends on earlier calls cannot be a test. If cases are lost,
    the others are run again without them, until the reference answers all that are left alike.
    What unit tests see then, if it is something else, goes to ``varied``.
    """
    other = sandbox.sibling(hash_seed=OTHER_HASH_SEED)
    left, lost = sorted(cases), dict[int, str]()
    order = deranged(left)
    for _ in range(ROUNDS):
        second = _Second([answers[place] for place in order], task)
        inputs = Inputs.of(cases[place].arguments for place in order)
        _run(other, task, inputs, limits, second, expected=Expected.of(second.expected))
        found = {
            place: _difference(answers[place], second.other.get(nth))
            for nth, place in enumerate(order)
            if nth not in second.same
        }
        for nth, data in second.data.items():
            varied[order[nth]] = data
            del found[order[nth]]
        lost |= found
        left = order = [place for place in left if place not in found]
        if not found:
            return lost
    return lost | {place: _difference(answers[place], None) for place in left}


def _bytes(data: bytes | Packed) -> bytes:
    return data.unpacked() if isinstance(data, Packed) else data


def _failed(
    sandbox: Sandbox,
    task: Task,
    cases: Mapping[int, Case],
    answers: dict[int, bytes | Packed],
    varied: Mapping[int, bytes],
) -> dict[int, tuple[Cause, str]]:
    """Return the unit tests that the reference fails, in either run, and what they saw.

    ``answers`` to tests that saw other values in the second run keep what is common to both.
    """
    failed: dict[int, tuple[Cause, str]] = {}
    runs = [(place, _bytes(answers[place])) for place in cases]
    runs += [(place, varied[place]) for place in cases if place in varied]
    tests = [cases[place] for place, _ in runs]
    sound = upheld(sandbox, task, tests, [data for _, data in runs])
    for (place, data), is_sound in zip(runs, sound, strict=True):
        if not is_sound:
            failed[place] = "test", f"it sees {_shown(data)}"
    for place in varied.keys() & cases.keys() - failed.keys():
        common = in_common(_bytes(answers[place]), varied[place])
        if common is None:
            failed[place] = "unstable", _difference(answers[place], _shown(varied[place]))
        else:
            answers[place] = common
    return failed


def _difference(first: bytes | Packed, then: str | None) -> str:
    return f"first {_shown(first)}, then, after other calls, {then or 'something else or nothing'}"


@dataclass
class _Answers:
    """Keeps what the reference answers, large answers packed at once; gives up when too slow."""

    task: Task
    max_failures: int | None
    meter: Meter
    answers: dict[int, bytes | Packed] = field(default_factory=dict)
    failed: dict[int, Outcome] = field(default_factory=dict)

    def equal(self, first: int, last: int) -> bool:
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        outcome = as_truth(readable(outcome), self.task)
        if isinstance(outcome, Returned):
            data = outcome.data
            self.answers[case] = Packed.of(data) if len(data) > LARGE else data
            return True
        if isinstance(outcome, Crashed) and self.meter.exceeds(case):
            outcome = TimedOut(0.0, self.meter.usual.cpu)  # perhaps it was about to be stopped
        self.failed[case] = outcome
        slow = sum(isinstance(failed, SLOW) for failed in self.failed.values())
        return self.max_failures is None or slow < self.max_failures


class _Second:
    """Compares a second run's answers with the first's as they come."""

    def __init__(self, answers: Sequence[bytes | Packed], task: Task) -> None:
        self.expected, self.task = Blobs(answers), task
        self.same: set[int] = set()
        self.other: dict[int, str] = {}
        self.data: dict[int, bytes] = {}
        """What unit tests saw the second time, if that is something else."""

    def equal(self, first: int, last: int) -> bool:
        self.same.update(range(first, last))
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        outcome = as_truth(outcome, self.task)
        if not isinstance(outcome, Returned):
            self.other[case] = f"{CAUSES[type(outcome)]}: {as_text(outcome)}"
        elif stable(self.expected[case], outcome.data, self.task):
            self.same.add(case)
        else:
            self.other[case] = _shown(outcome.data)
            if is_tested(self.task):
                self.data[case] = outcome.data
        return True


def _run(
    sandbox: Sandbox,
    task: Task,
    inputs: Inputs,
    limits: Limits,
    observer: _Answers | _Second,
    *,
    expected: Expected | None = None,
    more: More | None = None,
) -> None:
    if not len(inputs):
        return
    program = Program.of(task)
    _, loaded = sandbox.watch(
        program, inputs, limits, observer, expected=expected, more=more, own_clock=more is not None
    )
    if not loaded:
        if isinstance(observer, _Answers):
            failed = as_text(observer.failed.get(0))
        else:
            failed = f"the second time: {observer.other.get(0)}"
        raise ReferenceSolutionError(f"{task.id}: the reference does not load: {failed}")


def _shown(data: bytes | Packed) -> str:
    """Return an answer as one printable line of bounded length."""
    size = data.size if isinstance(data, Packed) else len(data)
    if isinstance(data, Packed) or size > SHOWN_BYTES:
        return f"a value of {size} bytes"
    return clip(shorten(wire.decode(data)))


def _drop(case: Case, outcome: Outcome | None, meter: Meter) -> Dropped:
    if outcome is None:
        return Dropped(case, "budget", "too many slow inputs before it")
    if isinstance(outcome, Raised) and _is_of_the_call(outcome):
        return Dropped(case, "arity", as_text(outcome))
    if isinstance(outcome, TimedOut):
        # Without the time it took: that differs from run to run, and this is kept in files.
        return Dropped(case, "slow", f"more than {meter.allowance.steps:,} steps, or waiting")
    return Dropped(case, CAUSES[type(outcome)], as_text(outcome))


def _is_of_the_call(raised: Raised) -> bool:
    """Whether a function was never entered, since it does not take so many arguments."""
    about = re.search(r"argument|takes|expected", raised.message)
    return raised.type == "TypeError" and raised.line is None and about is not None
