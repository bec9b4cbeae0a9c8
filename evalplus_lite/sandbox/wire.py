"""The binary form of values between sandbox and supervisor, and its strict decoder.

The form is marshal version 2, written in C speed by the child and exact: order, -0.0, bool and
int stay apart, nothing is shared. The supervisor never unmarshals what a child sent: ``decode``
below reads the few tags of plain values, bounds depth, length and hashing work, and refuses all
else. Most answers are never decoded: equal bytes are equal values.
"""

from __future__ import annotations

import struct
import time
from collections import Counter
from collections.abc import Iterable

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import plain
from evalplus_lite.types import Value

MAX_DEPTH = plain.MAX_DEPTH
DEPTH_IN_HAND = 16
"""How much deeper our own values may nest: answers are handed on inside lists of our making."""
MAX_COMPARED = 1 << 30
"""Bytes that building all sets and dicts of one value may compare, because elements hash alike."""
HASHING_SECONDS = 1.0
HASHED_AT_ONCE = 1024
FEW_DIGITS = 16
"""Of 15 bits each; adding up that many one by one is faster than writing them out."""


def encode(value: Value) -> bytes:
    """Return the wire form of a plain value; CodecError where it is not one."""
    try:
        return plain.encode(value, spare=DEPTH_IN_HAND)
    except plain.NotPlain as error:
        raise CodecError(f"{error} is not a plain value") from None


def decode(data: bytes, *, hash_limit: int = 1 << 20) -> Value:
    """Return the value of a wire form written by anyone.

    Raises CodecError for anything but exactly one plain value. ``hash_limit`` bounds the elements
    of one set or dict; where elements hash alike, which costs their square and which whoever wrote
    the value can arrange, far fewer are taken.
    """
    reader = _Reader(data, hash_limit)
    try:
        value = reader.read(0)
    except (struct.error, IndexError, UnicodeDecodeError, TypeError) as error:
        raise CodecError(f"malformed value: {error}") from None
    if reader.at != len(data):
        raise CodecError("bytes follow the value")
    return value


class _Reader:
    def __init__(self, data: bytes, hash_limit: int) -> None:
        self.data, self.hash_limit, self.at = data, hash_limit, 0
        self.compared = 0

    def length(self) -> int:
        (count,) = struct.unpack_from("<i", self.data, self.at)
        self.at += 4
        # Every element takes a byte at least, so a larger count is a lie.
        if not 0 <= count <= len(self.data) - self.at:
            raise CodecError(f"a length of {count} exceeds the data")
        return int(count)

    def take(self, count: int) -> bytes:
        start, self.at = self.at, self.at + count
        if self.at > len(self.data):
            raise CodecError("the data ends within a value")
        return self.data[start : self.at]

    def read(self, depth: int) -> Value:
        tag = self.data[self.at]
        self.at += 1
        if tag == 0x69:  # i
            return int.from_bytes(self.take(4), "little", signed=True)
        if tag == 0x75:  # u
            return self.take(self.length()).decode("utf-8", "surrogatepass")
        if tag == 0x67:  # g
            return struct.unpack("<d", self.take(8))[0]
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag == 0x6C:  # l
            return self.long()
        if tag == 0x73:  # s
            return self.take(self.length())
        if tag == 0x79:  # y
            return complex(*struct.unpack("<dd", self.take(16)))
        if depth > MAX_DEPTH:
            raise CodecError(f"value nests deeper than {MAX_DEPTH}")
        if tag == 0x5B:  # [
            return [self.read(depth + 1) for _ in range(self.length())]
        if tag == 0x28:  # (
            return tuple([self.read(depth + 1) for _ in range(self.length())])
        if tag == 0x7B:  # {
            return self.dictionary(depth + 1)
        if tag in (0x3C, 0x3E):  # < >
            count = self.length()
            if count > self.hash_limit:
                raise CodecError(f"a set of {count} elements; the limit here is {self.hash_limit}")
            start = self.at
            items = [self.read(depth + 1) for _ in range(count)]
            self.spread(items, self.at - start, set())
            return set(items) if tag == 0x3C else frozenset(items)
        raise CodecError(f"{bytes([tag])!r} is no tag of a plain value")

    def long(self) -> int:
        (count,) = struct.unpack_from("<i", self.data, self.at)
        self.at += 4
        if abs(count) * 2 > len(self.data) - self.at:
            raise CodecError("an integer exceeds the data")
        digits = struct.unpack(f"<{abs(count)}H", self.take(abs(count) * 2))
        if any(digit >> 15 for digit in digits):
            raise CodecError("an integer has a digit out of range")
        magnitude = 0
        if len(digits) <= FEW_DIGITS:
            for digit in reversed(digits):
                magnitude = magnitude << 15 | digit
        else:  # linear, as the base is a power of two, which is free of the limit on digits, too
            bits = "".join([format(digit, "015b") for digit in reversed(digits)])
            magnitude = int(bits, 2)
        return -magnitude if count < 0 else magnitude

    def dictionary(self, depth: int) -> dict[Value, Value]:
        pairs, start = [], self.at
        while self.data[self.at] != 0x30:  # 0
            pairs.append((self.read(depth), self.read(depth)))
            if len(pairs) > self.hash_limit:
                raise CodecError(f"a dict of more than {self.hash_limit} keys")
        self.at += 1
        self.spread((key for key, _ in pairs), self.at - start, {})
        return dict(pairs)

    def spread(self, items: Iterable[Value], size: int, trial: set[int] | dict[int, int]) -> None:
        """Raise CodecError where elements that fill ``size`` bytes would be slow to hash.

        Elements of one hash are compared with each other: at most their number times their bytes.
        Hashes that differ can still be made to meet in the table, so they are put in one by way
        of trial, in small portions, by the clock.
        """
        hashes = list(map(hash, items))
        if len(hashes) < 2:
            return
        started = time.thread_time()
        for at in range(0, len(hashes), HASHED_AT_ONCE):
            portion = hashes[at : at + HASHED_AT_ONCE]
            if isinstance(trial, set):
                trial.update(portion)
            else:
                trial.update(zip(portion, portion, strict=True))
            if time.thread_time() - started > HASHING_SECONDS + at * 1e-5:
                raise CodecError("elements that are slow to hash")
        if len(trial) < len(hashes):
            self.compared += max(Counter(hashes).values()) * size
            if self.compared > MAX_COMPARED:
                raise CodecError("too many elements that hash alike")


_CONSTANTS: dict[int, Value] = {0x4E: None, 0x54: True, 0x46: False}  # N T F
