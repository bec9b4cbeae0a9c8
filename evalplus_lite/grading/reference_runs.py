"""Runs of a reference: its answers taken down, and compared with those of another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evalplus_lite.grading.own_tests import is_tested
from evalplus_lite.grading.stability import as_truth, readable, stable
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.store.compressed import LARGE, Blobs, Packed
from evalplus_lite.tasks.contracts import as_text
from evalplus_lite.types import (
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
from evalplus_lite.values.excerpts import SHOWN_BYTES, shorten

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
