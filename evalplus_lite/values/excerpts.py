"""Excerpts: values, and answers in wire form, as one short line for a message."""

from __future__ import annotations

from evalplus_lite.types import SHOWN, Value
from evalplus_lite.values import wire

# Bytes of an answer beyond which a message names its type and size only: it may hold as many values
# as it has bytes, each of which costs up to a few hundred bytes here.
SHOWN_BYTES = 1 << 16
MAX_HASHED = 1 << 14  # elements of one set, or keys of one dict, that a message shows


def shown(data: bytes) -> str:
    """Return one line that shows an answer in wire form; a large one is not decoded."""
    if len(data) <= SHOWN_BYTES:
        return shorten(decode_answer(data))
    kind, unit = _KINDS.get(data[:1], ("value", "bytes"))
    size = len(data) if unit == "bytes" else int.from_bytes(data[1:5], "little")
    return f"a {kind} of {size} {unit}"


def decode_answer(data: bytes) -> Value:
    """Decode what a sample answered, to show it; CodecError if it is malformed or slow to hash."""
    return wire.decode(data, hash_limit=MAX_HASHED)


def shorten(value: Value) -> str:
    """Return a value's repr, cut in the middle if it is long."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        text = "a value with integers too long to print"
        if isinstance(value, int):
            text = f"an integer of {value.bit_length()} bits"
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 2]} ... {text[-SHOWN // 3 :]}"


# What the tag of a large answer says of it; the number that follows most tags is their length.
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
