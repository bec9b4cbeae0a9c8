"""What an outcome means: from what happened and what was expected, by pure functions."""

from __future__ import annotations

from typing import assert_never

from evalplus_lite.compare import matches
from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import wire
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
    Value,
    VerdictName,
)

SHOWN = 200
"""Characters of a value that a one-line message shows."""
SHOWN_BYTES = 1 << 20
"""Bytes of an answer beyond which a message gives its size only: taking it apart costs seconds."""
MIN_HASHED = 1024


def judge(outcome: Outcome, expected: bytes, rule: Rule) -> VerdictName:
    """Return what an outcome means where ``expected`` is the wire form of the right answer."""
    match outcome:
        case Returned(data):
            if data == expected:
                return "pass"
            by_leaf = rule.kind in ("python", "strict")
            if by_leaf and (_surely_differ(data, expected) or len(data) > _longest_equal(expected)):
                return "fail"
            try:
                value = decode_answer(data, expected)
            except CodecError:
                return "unrepresentable"
            return "pass" if matches(value, wire.decode(expected), rule) else "fail"
        case Raised():
            return "error"
        case TimedOut():
            return "timeout"
        case Crashed():
            return "crash"
        case OutOfMemory():
            return "memory"
        case Unrepresentable():
            if rule.kind == "presence":  # whatever it is, it is there
                return "pass" if matches(True, wire.decode(expected), rule) else "fail"
            return "unrepresentable"
    assert_never(outcome)


def _longest_equal(expected: bytes) -> int:
    """Return how many bytes a value equal to an expected one can take at most.

    By the rules that compare leaf by leaf: True is one byte, the equal 1+0j is seventeen. What is
    short is taken apart in any case, as that tells a wrong value from none.
    """
    return max(1 << 16, 17 * len(expected))


def _surely_differ(data: bytes, expected: bytes) -> bool:
    """Whether two wire forms that are not the same bytes show at their beginning to be unequal.

    So are two texts, two byte strings, two integers, and two sequences of unlike lengths. Most
    wrong answers are of these kinds, and need not be taken apart.
    """
    tag, other = expected[:1], data[:1]
    if tag in _SEQUENCES:
        return tag == other and data[1:5] != expected[1:5]
    return (tag == other and tag in _EXACT) or (tag in _INTEGERS and other in _INTEGERS)


_EXACT = (b"u", b"s")
"""The wire tags of str and bytes."""
_INTEGERS = (b"i", b"l")
_SEQUENCES = (b"[", b"(")


def decode_answer(data: bytes, expected: bytes) -> Value:
    """Decode what a sample answered; its hashed containers may be no larger than a right answer's.

    An answer with more elements cannot be right, and could be made to hash slowly.
    """
    return wire.decode(data, hash_limit=max(MIN_HASHED, len(expected)))


def explain(case: int, verdict: VerdictName, outcome: Outcome, expected: bytes) -> Failure:
    """Return the failure of a case with a line for a person."""
    match outcome:
        case Returned(data):
            try:
                got = shown(data, expected)
            except CodecError as error:
                got = f"a value that cannot be read ({error})"
            detail = f"got {got}, expected {shown(expected, expected)}"
            return Failure(case, verdict, detail, actual=data)
        case Raised(kind, message, line):
            return Failure(case, verdict, clip(f"{kind}: {message}" if message else kind), line)
        case TimedOut(_, limit):
            # Without the seconds used: they differ from run to run, and this is kept in files.
            return Failure(case, verdict, f"took longer than its limit of {limit:g} s")
        case Crashed(_, _, reason):
            return Failure(case, verdict, reason)
        case OutOfMemory():
            return Failure(case, verdict, "asked for more than its memory limit")
        case Unrepresentable(kind):
            return Failure(case, verdict, clip(f"returned {kind}, which is no plain value"))
    assert_never(outcome)


def shown(data: bytes, expected: bytes) -> str:
    """Return a line for an answer in wire form; a very large one is not decoded for it."""
    if len(data) > SHOWN_BYTES:
        return f"a value of {len(data)} bytes"
    return shorten(decode_answer(data, expected))


def shorten(value: Value) -> str:
    """Return a value's repr, cut in the middle where it is long."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        text = "a value with integers too long to print"
        if isinstance(value, int):
            text = f"an integer of {value.bit_length()} bits"
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 2]} ... {text[-SHOWN // 3 :]}"


def clip(text: str) -> str:
    """Return the text as one printable line of bounded length."""
    line = " ".join(text[: 10 * SHOWN].split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    return line if len(line) <= SHOWN else line[:SHOWN] + "..."
