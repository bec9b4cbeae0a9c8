"""The decoder of what children send: exact on what we write, and safe on what anyone writes."""

from __future__ import annotations

import marshal
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.values import VALUES

from evalplus_lite.errors import CodecError
from evalplus_lite.grading.observer import explain, judge
from evalplus_lite.types import Returned, Rule
from evalplus_lite.values import wire
from evalplus_lite.values.equality import matches

RULES = st.sampled_from([Rule("python"), Rule("strict"), Rule("unordered"), Rule("truthiness")])


@given(VALUES)
@settings(max_examples=100)
def test_round_trip(value: Any) -> None:
    """What is encoded comes back of the same types, in the same order, to the last bit."""
    data = wire.encode(value)
    assert wire.encode(wire.decode(data)) == data


@given(VALUES, st.data())
@settings(max_examples=100)
def test_mutated_values(value: Any, data: st.DataObject) -> None:
    """A damaged value decodes to some plain value or is refused; nothing else happens, neither in
    the decoder nor in the comparison nor in the message that shows it."""
    text = bytearray(wire.encode(value))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    expected = wire.encode(data.draw(VALUES))
    outcome = Returned(bytes(text))
    verdict = judge(outcome, expected, data.draw(RULES))
    assert verdict in ("pass", "fail", "unrepresentable")
    if verdict != "pass":
        assert explain(0, verdict, outcome, expected).detail.isprintable()


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_any_bytes(data: bytes) -> None:
    """Bytes from nowhere decode to a value that encodes again, or are refused."""
    try:
        value = wire.decode(data)
    except CodecError:
        return
    wire.encode(value)


@pytest.mark.parametrize("tag", [b"<", b">", b"{"])
def test_colliding_elements_are_refused(tag: bytes) -> None:
    """Thousands of elements of one hash are refused, not put in a table at their square's cost."""
    prime = 2**61 - 1
    items = [marshal.dumps(k * prime, 2) for k in range(1, 40_001)]
    if tag == b"{":
        data = tag + b"".join(item + b"N" for item in items) + b"0"
    else:
        data = tag + len(items).to_bytes(4, "little") + b"".join(items)
    with pytest.raises(CodecError):
        wire.decode(data)


def test_honest_collisions_are_taken() -> None:
    """-1 and -2 hash alike, and so do tuples of them: an honest set of such is no attack."""
    rows = {(a, b, c) for a in range(-2, 30) for b in range(-2, 30) for c in range(-2, 30)}
    assert wire.decode(wire.encode(rows)) == rows
    corners: set[tuple[int, ...]] = {()}
    for _ in range(10):
        corners = {(*row, x) for row in corners for x in (-1, -2)}
    assert wire.decode(wire.encode(corners)) == corners


def test_what_decodes_encodes_again_inside_containers() -> None:
    """A value as deep as the decoder takes can be handed on in lists of our own."""
    value: Any = "s"
    deepest = None
    for _ in range(wire.MAX_DEPTH + 20):
        value = [value]
        try:
            deepest = wire.decode(marshal.dumps(value, 2))
        except CodecError:
            break
    assert deepest is not None
    wire.encode([([1], deepest, deepest)])


@pytest.mark.parametrize("huge", [10**400, -(10**400), 1 << 40_000], ids=["long", "low", "longer"])
@pytest.mark.parametrize("expected", [1.5, math.inf, math.nan, 1j, {1}, {1.5}, [1.5], {"k": 1j}])
def test_long_integers_are_wrong_not_fatal(huge: int, expected: Any) -> None:
    """An integer too long for a float, or to be printed, is a wrong answer everywhere."""
    for answer in (huge, {huge}, [huge], {"k": huge}, {(huge,)}):
        for kind in ("python", "strict", "unordered"):
            assert not matches(answer, expected, Rule(kind))
