"""What an outcome means: from what happened and what was expected, by pure functions."""

from __future__ import annotations

from typing import assert_never

from evalplus_lite.compare import equal, is_present
from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import wire
from evalplus_lite.types import (
    SHOWN,
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

SHOWN_BYTES = 1 << 16
"""Bytes of an answer beyond which a message names its type and size only: it may hold as many
values as it has bytes, each of which costs up to a few hundred bytes here."""
CHECKED_BYTES = 1 << 12
"""Bytes up to which a wrong answer is read to its end, as that tells a wrong value from none."""
MAX_HASHED = 1 << 14
"""Elements of one set, or keys of one dict, that a message shows."""


def judge(outcome: Outcome, expected: bytes, rule: Rule) -> VerdictName:
    """Return what an outcome means where ``expected`` is the wire form of the right answer."""
    match outcome:
        case Returned(data):
            if data == expected:
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
            if rule.kind == "presence":  # whatever it is, it is there
                return "pass" if is_present(expected) else "fail"
            return "unrepresentable"
    assert_never(outcome)


def explain(case: int, verdict: VerdictName, outcome: Outcome, expected: bytes) -> Failure:
    """Return the failure of a case with a line for a person."""
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


def shown(data: bytes) -> str:
    """Return a line for an answer in wire form; a large one is not decoded for it."""
    if len(data) <= SHOWN_BYTES:
        return shorten(decode_answer(data))
    kind, unit = _KINDS.get(data[:1], ("value", "bytes"))
    size = len(data) if unit == "bytes" else int.from_bytes(data[1:5], "little")
    return f"a {kind} of {size} {unit}"


def decode_answer(data: bytes) -> Value:
    """Decode what a sample answered, to show it; CodecError if it is malformed or slow to hash."""
    return wire.decode(data, hash_limit=MAX_HASHED)


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


_KINDS = {
    b"[": ("list", "items"),
    b"(": ("tuple", "items"),
    b"<": ("set", "elements"),
    b">": ("frozenset", "elements"),
    b"{": ("dict", "bytes"),
    b"u": ("str", "bytes"),
    b"s": ("bytes object", "bytes"),
    b"l": ("long integer", "bytes"),
}
"""What the tag of a large answer says of it; the number that follows most tags is their length."""
