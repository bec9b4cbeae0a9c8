"""Runs of a reference: its answers taken down, and compared with those of another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.errors import CodecError, ContractError
from evalplus_lite.grading.stability import as_truth, readable, stable
from evalplus_lite.sandbox import Inputs, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.store.opening import LARGE, Blobs, Packed
from evalplus_lite.tasks.contracts import CHECK_LIMITS, accepts, as_text, check_of
from evalplus_lite.tasks.unit_test_check import OWN_WORD
from evalplus_lite.types import (
    Case,
    Cause,
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Task,
    TimedOut,
    Unrepresentable,
    clip,
)
from evalplus_lite.values import wire
from evalplus_lite.values.identity import key
from evalplus_lite.values.source import SHOWN_BYTES, shorten

# A reference before its own tests: which of them it passes, and which leave answers open.


def is_tested(task: Task) -> bool:
    """Return whether a task's cases are unit tests: expected values stand in them alone."""
    return task.harness.kind == "unittest"


def upheld(
    sandbox: Sandbox, task: Task, cases: Sequence[Case], seen: Sequence[bytes]
) -> list[bool]:
    """Return for each case whether what the reference showed there is what its test expects."""
    if task.contract is None:  # nothing is expected but that no test raises
        return [True] * len(cases)
    encoded = [wire.encode(list(case.arguments)) for case in cases]
    rows = [(each, data, data) for each, data in zip(encoded, seen, strict=True)]
    inputs = Inputs.joined(rows, private=True)
    run = sandbox.run(check_of(task), inputs, CHECK_LIMITS)
    if run.load_failed:
        raise ContractError(f"{task.id}: its tests cannot be judged: {run.outcomes[0]}")
    return list(map(accepts, run.outcomes))


def in_common(first: bytes, second: bytes) -> bytes | None:
    """Return what two runs of a test have in common if other values were seen: its assertions.

    That is what is expected of a test of something random, whose assertions say all that is to
    be said of it. None where other assertions were reached.
    """
    try:
        sites = [
            {key(_site(each)): _site(each) for each in wire.decode(d)} for d in (first, second)
        ]
    except (CodecError, TypeError, IndexError):
        return None
    if sites[0].keys() != sites[1].keys():
        return None
    return wire.encode([sites[0][name] for name in sorted(sites[0])])


def _site(seen: list[Any]) -> list[Any]:
    """Return an assertion's number, and whether the program's process decided it."""
    return [each for at, each in enumerate(seen) if not at or each == OWN_WORD]


SLOW = (TimedOut, Crashed, OutOfMemory)  # outcomes that cost a process, and often the whole limit
CAUSES: Mapping[type, Cause] = {
    Raised: "raises",
    TimedOut: "slow",
    Crashed: "crashes",
    OutOfMemory: "memory",
    Unrepresentable: "unrepresentable",
}


@dataclass
class FirstRun:
    """Keeps what the reference answers, large answers packed at once; gives up when too slow."""

    task: Task
    max_failures: int | None
    meter: Meter | None
    """Counts the steps of what ends its process; None if they were counted before."""
    answers: dict[int, bytes | Packed] = field(default_factory=dict)
    failed: dict[int, Outcome] = field(default_factory=dict)

    def equal(self, first: int, last: int) -> bool:
        """Nothing is equal to what is not known yet."""
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Take an answer down; say whether to go on."""
        outcome = as_truth(readable(outcome), self.task)
        if isinstance(outcome, Returned):
            data = outcome.data
            self.answers[case] = Packed.of(data) if len(data) > LARGE else data
            return True
        meter = self.meter
        if isinstance(outcome, Crashed) and meter is not None and meter.exceeds(case):
            outcome = TimedOut(0.0, meter.usual.cpu)  # perhaps it was about to be stopped
        self.failed[case] = outcome
        slow = sum(isinstance(failed, SLOW) for failed in self.failed.values())
        return self.max_failures is None or slow < self.max_failures


class SecondRun:
    """Compares a second run's answers with the first's as they come."""

    def __init__(self, answers: Sequence[bytes | Packed], task: Task) -> None:
        self.expected, self.task = Blobs(answers), task
        self.same: set[int] = set()
        self.other: dict[int, str] = {}
        self.data: dict[int, bytes] = {}
        """What unit tests saw the second time, if that is something else."""

    def equal(self, first: int, last: int) -> bool:
        """Take down that these are as before."""
        self.same.update(range(first, last))
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Compare an answer that is not the same bytes; always go on."""
        outcome = as_truth(outcome, self.task)
        if not isinstance(outcome, Returned):
            self.other[case] = f"{CAUSES[type(outcome)]}: {as_text(outcome)}"
        elif stable(self.expected[case], outcome.data, self.task):
            self.same.add(case)
        else:
            self.other[case] = shown_answer(outcome.data)
            if is_tested(self.task):
                self.data[case] = outcome.data
        return True


def shown_answer(data: bytes | Packed) -> str:
    """Return an answer as one printable line of bounded length."""
    size = data.size if isinstance(data, Packed) else len(data)
    if isinstance(data, Packed) or size > SHOWN_BYTES:
        return f"a value of {size} bytes"
    return clip(shorten(wire.decode(data)))
