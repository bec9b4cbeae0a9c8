"""Canonical bytes, which two values in wire form share if and only if they are equal.

Elements of sets and keys of dicts are looked up by them, because the author of a value can make
hashes in Python's own tables collide. All NaNs are equal here, so a set with several is a multiset.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.values import wire
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.wire import CONTAINERS, DICT, END, LONG, SET, SETS, STRINGS, WireReader

DEEPEST = wire.MAX_DEPTH + wire.DEPTH_IN_HAND
# Tags of numbers that may equal others of another tag.
NUMERIC = frozenset({wire.TRUE, wire.FALSE, wire.FLOAT, wire.COMPLEX})
PREFIX = struct.Struct("<BI")
INT_SIZE = 1 + wire.FIXED[wire.INT]


class KeyTooLong(Exception):
    """A value is longer than any value that it could equal."""


@dataclass(frozen=True, slots=True)
class Key:
    """A value's bytes, and whether it contains NaN."""

    data: bytes
    has_nan: bool


class Keys:
    """Reads values as keys; raises KeyTooLong for a key longer than ``longest`` bytes.

    ``strict`` also compares types. With ``hashable``, an unhashable element raises TypeError. Order
    is ignored at these ``levels`` of lists and tuples (0: the value itself).
    """

    def __init__(
        self,
        reader: WireReader,
        *,
        strict: bool,
        hashable: bool = True,
        longest: float = math.inf,
        levels: frozenset[int] = frozenset(),
    ) -> None:
        self.reader, self.strict, self.hashable, self.longest = reader, strict, hashable, longest
        self.room = longest
        self.has_nan, self.levels = False, levels

    def next(self) -> Key:
        """Return the key of the next value, and advance past it."""
        self.room, self.has_nan = self.longest, False
        return Key(self._value(0), self.has_nan)

    def many(self, count: int) -> Iterator[bytes]:
        """Yield the keys of the next values; those of short integers are just their bytes."""
        reader = self.reader
        if count >= wire.RUN and reader.data[reader.at] == wire.INT and self.longest >= INT_SIZE:
            run = reader.run(wire.INT, count)
            if run is not None:
                for at in range(0, len(run), INT_SIZE):
                    yield run[at : at + INT_SIZE]
                return
        for _ in range(count):
            yield self.next().data

    def _value(self, depth: int) -> bytes:
        reader, start = self.reader, self.reader.at
        tag = reader.tag()
        if tag in CONTAINERS:
            return self._container(tag, depth)
        if tag in NUMERIC:
            data = self._number(reader.scalar(tag))
        else:
            if tag == LONG or tag in STRINGS:  # do not even copy a long one
                (size,) = struct.unpack_from("<i", reader.data, reader.at)
                self._fit(abs(size))
            reader.leaf(tag)
            data = reader.data[start : reader.at]
        self._fit(len(data))
        self.room -= len(data)
        return data

    def _number(self, value: Any) -> bytes:
        """Return one encoding for all numbers that compare equal in Python."""
        self.has_nan = self.has_nan or value != value
        if isinstance(value, complex):
            if self.strict or value.imag != 0 or value.real != value.real:
                return b"y" + _part(value.real) + _part(value.imag)
            value = value.real
        if isinstance(value, bool):
            return wire.encode(value if self.strict else int(value))
        # is_integer() is False for NaN and infinities, too.
        if self.strict or not value.is_integer():
            return b"g" + _part(value)
        return wire.encode(int(value))

    def _container(self, tag: int, depth: int) -> bytes:
        reader = self.reader
        if depth > DEEPEST:
            raise CodecError(f"value nests deeper than {wire.MAX_DEPTH}")
        if self.hashable and tag in wire.UNHASHABLE:
            raise TypeError("an element that cannot be hashed")
        if tag == wire.TUPLE and reader.is_marked():
            levels, self.levels = self.levels, frozenset()  # levels are those of plain values
            data = self._extended(reader.head(), depth + 1)
            self.levels = levels
            return data
        self._fit(PREFIX.size)
        self.room -= PREFIX.size
        items = []
        if tag == DICT:
            while reader.data[reader.at] != END:
                key = self._value(depth + 1)
                items.append(key + self._value(depth + 1))
            reader.at += 1
        else:
            count = reader.length()
            self._fit(count)
            for _ in range(count):
                items.append(self._value(depth + 1))
        count = len(items)
        if tag == DICT or tag in SETS or depth in self.levels:
            items.sort()
        if tag in SETS and not self.strict:
            tag = SET
        return PREFIX.pack(tag, count) + b"".join(items)

    def _extended(self, kind: Kind, depth: int) -> bytes:
        """Return the encoding that an extended value shares with all that equal it."""
        reader = self.reader
        if self.hashable and not kind.is_hashable:
            raise TypeError("an element that cannot be hashed")
        name = wire.MARK + kind.name.encode() + wire.MARK
        if kind.is_atom:
            value = reader.extended(kind, depth)
            key = kind.key(value)
            if self.strict:
                name += wire.encode(kind.details(value))
            is_loose = kind.base == "scalar" and not self.strict and type(key) is not tuple
            data = (b"" if is_loose else name) + self._key(key)
            self._fit(len(data))
            self.room -= len(data)
            return data
        data = b"" if kind.base is not None and not self.strict else name
        for at, form in enumerate(kind.forms):
            reader.expect(kind, form)
            if at < (kind.typed if self.strict else kind.compared):
                data += self._value(depth)
            else:
                reader.skip(depth)
        return data

    def _key(self, key: Any) -> bytes:
        if isinstance(key, float):
            return self._number(key)
        if isinstance(key, Decimal | Fraction | int):
            self.has_nan = self.has_nan or key != key
            return _rational(key)
        return wire.encode(key)

    def _fit(self, size: int) -> None:
        if size > self.room:
            raise KeyTooLong


def _part(value: float) -> bytes:
    """Return the same bytes for equal floats, including zeros and NaNs."""
    return struct.pack("<d", value + 0.0 if value == value else math.nan)


def _rational(value: Decimal | Fraction | int) -> bytes:
    """Return the bytes of a number of any type: those of an equal float, if there is one."""
    if isinstance(value, Decimal) and not value.is_finite():
        return b"g" + _part(float(value))
    exact = Fraction(value)
    if exact.denominator == 1:
        return wire.encode(exact.numerator)
    try:
        near = float(exact)
    except OverflowError:
        near = math.inf
    if math.isfinite(near) and near == exact:
        return b"g" + _part(near)
    return b"q" + wire.encode((exact.numerator, exact.denominator))
