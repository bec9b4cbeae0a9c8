"""What an outcome means: from what happened and what was expected, by pure functions."""

from __future__ import annotations

from typing import assert_never

from evalplus_lite.errors import CodecError
from evalplus_lite.types import (
    Crashed,
    Failure,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Rule,
    TimedOut,
    Unrepresentable,
    VerdictName,
)
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal, exact, is_something
from evalplus_lite.values.excerpts import shown

# Bytes up to which a wrong answer is read to its end, to tell a wrong value from malformed data.
CHECKED_BYTES = 1 << 12


def judge(outcome: Outcome, expected: bytes, rule: Rule) -> VerdictName:
    """Return what an outcome means where ``expected`` is the wire form of the right answer."""
    match outcome:
        case Returned(data):
            if data == exact(expected, rule):
                return "pass"
            try:
                if equal(data, expected, rule):
                    return "pass"
                if len(data) <= CHECKED_BYTES:
                    wire.check(data)
            except CodecError:
                return "unrepresentable"
            return "fail"
        case Raised():
            return "error"
        case TimedOut():
            return "timeout"
        case Crashed():
            return "crash"
        case OutOfMemory():
            return "memory"
        case Unrepresentable():
            if rule.kind == "truthiness":  # whatever it is, it is neither None nor False
                return "pass" if is_something(expected) else "fail"
            return "unrepresentable"
    assert_never(outcome)


def explain(case: int, verdict: VerdictName, outcome: Outcome, expected: bytes) -> Failure:
    """Return the failure of a case, with one readable line on it."""
    match outcome:
        case Returned(data):
            try:
                got = shown(data)
            except CodecError as error:
                got = f"a value that cannot be read ({error})"
            detail = f"got {got}, expected {shown(expected)}"
            return Failure(case, verdict, detail, actual=data)
        case Raised(line=line):
            return Failure(case, verdict, str(outcome), line)
        case TimedOut() | Crashed() | OutOfMemory() | Unrepresentable():
            return Failure(case, verdict, str(outcome))
    assert_never(outcome)
