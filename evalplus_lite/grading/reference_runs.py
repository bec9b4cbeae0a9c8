"""Runs of a reference: recording its answers, and comparing them with another run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.errors import CodecError, ContractError, UnusableTask
from evalplus_lite.grading.stability import as_truth, readable, stable
from evalplus_lite.grading.subsets import subset
from evalplus_lite.sandbox import Observer, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.store.opening import Blob, Blobs, Packed, size_of
from evalplus_lite.tasks.contracts import FALSE, accepts, as_text, has_check, run_check
from evalplus_lite.tasks.unit_tests import OWN_WORD
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
from evalplus_lite.values.identity import key
from evalplus_lite.values.source import SHOWN_BYTES, shorten

# A reference and its unit tests: which tests it passes, and which are weak.

NOTHING_LEFT = "a program that does not know the task could pass each of its tests"


def is_tested(task: Task) -> bool:
    """Return whether a task's cases are unit tests, which contain the expected values."""
    return task.harness.kind == "unittest"


def upheld(
    sandbox: Sandbox, task: Task, cases: Sequence[Case], shown: Sequence[bytes]
) -> list[bool]:
    """Return for each case whether the reference passes its test."""
    if task.contract is None:  # tests are only expected not to raise
        return [True] * len(cases)
    return list(map(accepts, _asked(sandbox, task, "upheld", cases, shown)))


def weak(sandbox: Sandbox, task: Task, cases: Sequence[Case], shown: Sequence[bytes]) -> list[bool]:
    """Return for each case whether a program could pass its test by guessing."""
    if task.contract is None:
        return [True] * len(cases)
    surveys = _asked(sandbox, task, "survey", cases, shown)
    return [not (isinstance(each, Returned) and each.data == FALSE) for each in surveys]


def _asked(
    sandbox: Sandbox, task: Task, function: str, cases: Sequence[Case], shown: Sequence[bytes]
) -> Sequence[Outcome | None]:
    rows = zip(cases, shown, shown, strict=True)
    run = run_check(sandbox, task, rows, function)
    if run.load_failed:
        raise ContractError(f"{task.id}: its tests cannot be judged: {run.outcomes[0]}")
    return run.outcomes


def whole_tests(task: Task) -> Program | None:
    """Return the reference with tests that report their computed values, or None."""
    harness = task.harness
    if not harness.whole:
        return None
    return replace(Program.of(task), harness=replace(harness, tests=harness.whole, whole=""))


def expecting(
    first: bytes, second: bytes | None, known: Sequence[bytes | None] | None
) -> bytes | None:
    """Return the expected result of a test in wire form; None if its assertions vary.

    ``first`` and ``second`` are the results of two runs of the reference (None: the same).
    ``known`` are the values that the test itself computed in two runs, each None if it did not
    finish. Parts that differ between the runs are left out.
    """
    try:
        saw = wire.decode(first)
        other = saw if second is None else wire.decode(second)
        # Two runs with different hash seeds. If assertions ran in the same order, each keeps the
        # values that both runs saw. In another order, only the set of assertions is certain. With
        # different assertions, there is no expectation.
        ordered = [each[0] for each in saw] == [each[0] for each in other]
        if ordered:
            saw = [_common(*pair) for pair in zip(saw, other, strict=True)]
        elif {each[0] for each in saw} == {each[0] for each in other}:
            # For each assertion, its number, and whether the program's process decided it.
            saw = [[n] for n in sorted({each[0] for each in saw})]
        else:
            return None
        sides = _sides(wire.decode(first), known)
        if not ordered:
            by_number: dict[int, list[Any]] = {}
            for site, side in zip(wire.decode(first), sides, strict=True):
                by_number.setdefault(site[0], []).append(side)
            sides = [_only(by_number.get(site[0], [])) for site in saw]
    except (CodecError, TypeError, IndexError, ValueError):
        return None
    return wire.encode({"saw": saw, "known": sides, "ordered": ordered, "weak": False})


def _common(first: list[Any], second: list[Any]) -> list[Any]:
    if key(first) == key(second):
        return first
    return [
        each for at, each in enumerate(first) if not at or (type(each) is dict and each == OWN_WORD)
    ]


def _sides(saw: list[Any], known: Sequence[bytes | None] | None) -> list[Any]:
    """Return the values that the tests compute for each assertion; None where unknown."""
    if known is None:
        return [[] for _ in saw]
    runs = [[] if each is None else wire.decode(each) for each in known]
    sides: list[Any] = []
    for at, site in enumerate(saw):
        values = [
            run[at][len(site) :]
            for run in runs
            if at < len(run) and run[at][0] == site[0] and len(run[at]) >= len(site)
        ]
        # A value that a test computes counts only if both runs computed the same one.
        is_same = len(values) == len(runs) and all(key(each) == key(values[0]) for each in values)
        sides.append(values[0] if is_same else None)
    return sides


def _only(sides: list[Any]) -> Any:
    first = sides[0] if sides else None
    return first if all(key(each) == key(first) for each in sides) else None


def shown_part(data: bytes) -> bytes:
    """Return the part of a result that is right without further checks."""
    return wire.encode(wire.decode(data)["saw"])


def marked(data: bytes) -> bytes:
    """Return the expected result of a test, marked as weak."""
    return wire.encode({**wire.decode(data), "weak": True})


def weak_places(task: Task, suite: Suite) -> list[int]:
    """Return the positions of a suite's weak tests."""
    if not is_tested(task):
        return []
    return [
        place
        for place, data in enumerate(suite.expected)
        if (value := wire.decode(data)) and type(value) is dict and value.get("weak")
    ]


def without_weak(task: Task, suite: Suite) -> Suite:
    """Return a suite without its weak tests; raise UnusableTask if none is left."""
    gone = set(weak_places(task, suite))
    if not gone:
        return suite
    places = [place for place in range(len(suite.cases)) if place not in gone]
    if not places:
        raise UnusableTask(task.id, "weak", f"{NOTHING_LEFT} ({len(gone)} tests)")
    return subset(suite, places)


SLOW = (TimedOut, Crashed, OutOfMemory)  # outcomes that cost a process, and often the whole limit
CAUSES: Mapping[type, Cause] = {
    Raised: "raises",
    TimedOut: "slow",
    Crashed: "crashes",
    OutOfMemory: "memory",
    Unrepresentable: "unrepresentable",
}


@dataclass
class FirstRun(Observer):
    """Records the reference's answers, compressing large ones; stops after too many slow cases."""

    task: Task
    max_failures: int | None
    meter: Meter | None
    """Counts the steps of cases that end the process; None if steps were counted before."""
    answers: dict[int, Blob] = field(default_factory=dict)
    failed: dict[int, Outcome] = field(default_factory=dict)

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Record an answer; return whether to continue."""
        # Strictly checked here, once: later readers of the suite rely on its answers being
        # well-formed.
        outcome = as_truth(readable(outcome), self.task)
        if isinstance(outcome, Returned):
            self.answers[case] = Packed.of(outcome.data)
            return True
        meter = self.meter
        # Whether a process crashes or is stopped may depend on the machine; steps tell alike
        # everywhere.
        if isinstance(outcome, Crashed) and meter is not None and meter.exceeds(case):
            outcome = TimedOut(0.0, meter.usual.cpu)  # perhaps it was about to be stopped
        self.failed[case] = outcome
        slow = sum(isinstance(failed, SLOW) for failed in self.failed.values())
        return self.max_failures is None or slow < self.max_failures


class SecondRun:
    """Compares a second run's answers with the first's as they come."""

    def __init__(self, answers: Sequence[Blob], task: Task) -> None:
        self.expected, self.task = Blobs(answers), task
        self.same: set[int] = set()
        self.other: dict[int, str] = {}
        self.data: dict[int, bytes] = {}
        """Different second answers of a task whose unit tests or ``check`` decide."""

    def equal(self, first: int, last: int) -> bool:
        """Record that these cases were answered as before."""
        self.same.update(range(first, last))
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Compare an answer that is not the same bytes; always continue."""
        outcome = as_truth(outcome, self.task)
        if not isinstance(outcome, Returned):
            self.other[case] = f"{CAUSES[type(outcome)]}: {as_text(outcome)}"
        elif stable(self.expected[case], outcome.data, self.task):
            self.same.add(case)
        else:
            # Another answer need not be unstable: a check, or what a unit test asserts, may allow
            # both.
            self.other[case] = shown_answer(outcome.data)
            if is_tested(self.task) or has_check(self.task):
                self.data[case] = outcome.data
        return True


def shown_answer(data: Blob) -> str:
    """Return an answer as one printable line of bounded length."""
    if isinstance(data, Packed) or len(data) > SHOWN_BYTES:
        return f"a value of {size_of(data)} bytes"
    return clip(shorten(wire.decode(data)))
