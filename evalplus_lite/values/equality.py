"""Comparison rules for outputs, on values in wire form.

``python`` (the default for published sets, so that scores are comparable with the literature):
Python equality, with NaN equal to itself; if the *expected* leaf is a float, |a - b| <= max(atol,
rtol |b|), leaf by leaf, in containers of the same shape; integers are exact. ``strict``: also the
same type at every leaf. ``unordered``: as sets of elements. ``multiset``, ``sorted`` and
``fields``: free order, keys and tolerances by position, see below. ``any``: equal to one of a list
of right outputs. ``truthiness``: only whether the output is neither None nor False.

docs/measurements/soundness.md lists the differences from evalplus 0.3.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from evalplus_lite.errors import CodecError
from evalplus_lite.types import ANY, Rule, Step, Tolerance, Value
from evalplus_lite.values import wire
from evalplus_lite.values.canonical import Keys, KeyTooLong
from evalplus_lite.values.comparison import NUMBERS, ValueComparison, same
from evalplus_lite.values.kinds.kind import LIST
from evalplus_lite.values.wire import CONTAINERS, DICT, END, SEQUENCES, WireReader

# Rules that depend on a value's position: free order, keys, tolerances of fields.

Fields: TypeAlias = tuple[Tolerance, ...]
Found: TypeAlias = bytes | tuple[Any] | None
MORE_VALUES = 1000
LONGEST_TEXT = 100_000
"""Maximum bytes of a text key whose length is measured."""


def canonical(reader: WireReader) -> bytes:
    """Return the canonical bytes of a reader's next value, and advance past it."""
    return Keys(reader, strict=False, hashable=False).next().data


class Arranged(ValueComparison):
    """Compares two values by an arranged rule and, below its levels, like ``ValueComparison``."""

    def __init__(self, a: WireReader, b: WireReader, rule: Rule) -> None:
        super().__init__(a, b, rule)
        self.plain = ValueComparison(a, b, rule)
        self.levels, self.depth = rule.free_levels, 0
        self.fields: Fields = rule.fields
        self.keyed = rule.kind == "sorted"

    def equal(self) -> bool:
        """Return whether the next values are equal; if so, advance past both."""
        usual = self.rule
        for field in self.fields:
            if not field.at:
                self.rule = replace(self.rule, atol=field.atol, rtol=field.rtol)
        try:
            left = any(field.at for field in self.fields)
            if left or self.depth < max(self.levels, default=0):
                return super().equal()
            self.plain.rule = self.rule
            return self.plain.equal()
        finally:
            self.rule = usual

    def within(self, *steps: object) -> Fields:
        """Return the fields within the values to which one of the steps leads."""
        return tuple(
            replace(field, at=field.at[1:])
            for field in self.fields
            if field.at and field.at[0] in (ANY, *steps)
        )

    def _sequence(self) -> bool:
        fields, self.depth = self.fields, self.depth + 1
        try:
            if self.depth in self.levels:
                return self._in_any_order()
            count = self.b.length()
            if self.a.length() != count:
                return False
            for place in range(count):
                self.fields = fields
                self.fields = self.within(place, place - count)
                if not self.equal():
                    return False
            return True
        finally:
            self.fields, self.depth = fields, self.depth - 1

    def _in_any_order(self) -> bool:
        a, b = self.a, self.b
        count = b.length()
        if a.length() != count:
            return False
        starts = a.at, b.at
        if self.keyed and self.depth == 1 and not self._same_keys(count):
            return False
        a.at, b.at = starts
        self.fields = self.within()
        levels = frozenset(level - self.depth - 1 for level in self.levels)
        return self.pair_off(count, levels)

    def _same_keys(self, count: int) -> bool:
        """Return whether items at the same positions have equal keys."""
        a, b, rule = self.a, self.b, self.rule
        wanted = [_measured(b, rule) for _ in range(count)]
        a.most = a.count + 8 * b.count + MORE_VALUES  # equal values have about as many parts
        right = all(_same_key(_measured(a, rule), theirs, rule) for theirs in wanted)
        a.most = math.inf
        return right

    def _dictionary(self, *, is_ordered: bool = False) -> bool:
        """Compare two dicts value by value, using the fields for each key."""
        a, b, fields = self.a, self.b, self.fields
        self.depth += 1
        try:
            if is_ordered or not fields:
                return super()._dictionary(is_ordered=is_ordered)
            steps = {wire.encode(f.at[0]): f.at[0] for f in fields if f.at}
            known = {canonical(WireReader(data)): step for data, step in steps.items()}
            places: dict[bytes, int] = {}
            theirs = self.keys(b)
            while b.data[b.at] != END:
                key = theirs.next().data
                places[key] = b.at
                b.skip(0)
            end, ours = b.at + 1, self.keys(a, longest=max(map(len, places), default=0))
            while a.data[a.at] != END:
                try:
                    key = ours.next().data
                except KeyTooLong:
                    return False
                place = places.pop(key, None)
                if place is None:
                    return False
                b.at, self.fields = place, fields
                self.fields = self.within(known.get(key, ANY))
                if not self.equal():
                    return False
            a.at, b.at = a.at + 1, end
            return not places
        finally:
            self.fields, self.depth = fields, self.depth - 1


def _same_key(ours: Found, theirs: Found, rule: Rule) -> bool:
    if isinstance(ours, bytes) and isinstance(theirs, bytes):
        return ours == theirs or ValueComparison(WireReader(ours), WireReader(theirs), rule).equal()
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return same(ours[0], theirs[0], rule)
    return False


def _measured(reader: WireReader, rule: Rule) -> Found:
    """Advance past an item; return its key in wire form, or the key's measure, or None."""
    start = reader.at
    reader.skip(0)
    end = reader.at
    reader.at = start
    is_present = all(_step(reader, step) for step in rule.key)
    begin = reader.at
    if is_present:
        reader.skip(0)
    key = reader.data[begin : reader.at]
    reader.at = end
    if not is_present or not rule.by:
        return key if is_present else None
    return _measure(WireReader(key), rule.by)


def _step(reader: WireReader, step: Step) -> bool:
    """Advance to the place of a step in the next value; return whether it exists."""
    tag = reader.tag()
    if tag in SEQUENCES and isinstance(step, int):
        count = reader.length()
        if not -count <= step < count:
            return False
        for _ in range(step % count):
            reader.skip(0)
        return True
    if tag == DICT:
        wanted = canonical(WireReader(wire.encode(step)))
        while reader.data[reader.at] != END:
            if canonical(reader) == wanted:
                return True
            reader.skip(0)
    return False


def _measure(reader: WireReader, by: str) -> tuple[Any] | None:
    tag = reader.tag()
    if by == "len" and tag in CONTAINERS and tag != DICT:
        return (reader.length(),)
    if by == "len" and tag == DICT:
        count = 0
        while reader.data[reader.at] != END:
            reader.skip(0)
            reader.skip(0)
            count += 1
        return (count,)
    if tag in CONTAINERS or len(reader.data) > LONGEST_TEXT:
        return None
    value = reader.scalar(tag)
    if by == "abs" and isinstance(value, NUMBERS):
        return (abs(value),)
    if isinstance(value, str) and by != "abs":
        return (len(value) if by == "len" else value.lower(),)
    return (len(value),) if isinstance(value, bytes) and by == "len" else None


# Maximum elements of an unordered output beyond eight times those of the expected one.
MORE_ELEMENTS = 100_000
_GROUPS = CONTAINERS - {DICT}


def matches(output: Value, expected: Value, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether ``output`` is right, given the reference's output ``expected``.

    Both must be plain values; raises CodecError otherwise.
    """
    return equal(wire.encode(output), wire.encode(expected), rule)


def equal(output: bytes, expected: bytes, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether an output is right, given the reference's, both in wire form.

    Raises CodecError for an output that is malformed, as far as it was read, or too expensive to
    compare.
    """
    if rule.kind == "truthiness":
        return is_something(output) == is_something(expected)
    if rule.kind == "any":
        return any(equal(output, item, replace(rule, kind="python")) for item in _items(expected))
    pair = (Arranged if rule.is_arranged else ValueComparison)(
        WireReader(output), WireReader(expected), rule
    )
    with wire.reading():
        right = _unordered(pair) if rule.kind == "unordered" else pair.equal()
    if right:
        pair.a.finish()
    return right


def exact(expected: bytes, rule: Rule) -> bytes:
    """Return bytes that need no comparison: the expected value, or the first of a list.

    Returns b"" for an empty list.
    """
    return next(_items(expected), b"") if rule.kind == "any" else expected


def is_something(data: bytes) -> bool:
    """Return whether a value in wire form is neither None nor False."""
    return data not in (b"N", b"F")


def _items(data: bytes) -> Iterator[bytes]:
    """Yield the items of a trusted list in wire form."""
    reader = WireReader(data)
    if reader.tag() != wire.LIST:
        return
    for _ in range(reader.length()):
        start = reader.at
        reader.skip(0)
        yield data[start : reader.at]


def _unordered(pair: ValueComparison) -> bool:
    a, b = pair.a, pair.b
    parts = _opened(a), _opened(b)
    if parts[0] is None or parts[1] is None:
        a.at = b.at = 0
        return pair.equal()
    ours, theirs = a.length(), b.length()
    if ours > 8 * theirs + MORE_ELEMENTS:
        raise CodecError(f"{ours} elements, where {theirs} are right")
    starts = a.at, b.at
    try:
        right = _as_sets(pair, ours, theirs)
    except TypeError:  # unhashable elements: compare as multisets, by the leaf rule
        a.at, b.at = starts
        right = ours == theirs and pair.pair_off(ours)
    for _ in range(parts[0] if right else 0):
        a.skip(0)
    return right


def _opened(reader: WireReader) -> int | None:
    """Advance to a group's number of elements; return None if the value is not a group.

    Otherwise return how many parts follow its elements.
    """
    tag, rest = reader.tag(), 0
    if tag == wire.TUPLE and reader.is_marked():
        kind = reader.head()
        if kind.is_atom or (kind.base != "tuple" and kind.forms[0] != LIST):
            return None
        reader.expect(kind, kind.forms[0])
        tag, rest = reader.tag(), len(kind.forms) - 1
    return rest if tag in _GROUPS else None


def _as_sets(pair: ValueComparison, ours: int, theirs: int) -> bool:
    wanted = set(pair.keys(pair.b).many(theirs))
    keys = pair.keys(pair.a, longest=max(map(len, wanted), default=0), hashable=False)
    met = set()
    try:
        for key in keys.many(ours):
            if key not in wanted:
                return False
            met.add(key)
    except KeyTooLong:
        return False
    return len(met) == len(wanted)
