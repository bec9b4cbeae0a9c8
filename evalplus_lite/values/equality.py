"""Whether an output is right: the comparison rules, on values in wire form.

``python`` (the default for published sets, so that numbers compare with the literature): Python
equality, NaN equal to itself; where the *expected* leaf is a float, |a - b| <= max(atol, rtol |b|),
leaf by leaf, in containers of the same shape; integers are exact. ``strict``: also the same type
at every leaf. ``unordered``: as sets of elements. ``truthiness``: only whether there is something,
which None and False say there is not.

An output is read side by side with the expected one, up to the first difference, and nothing of it
is built or hashed by Python: a sample may have chosen it to be large, or slow to hash. Elements of
sets and keys of dicts are known by a text of bytes that equal ones share, however many of them are
NaN. So an output costs about what the expected one costs, whatever it holds.

The facts about evalplus 0.3.1 that these differ from are in docs/measurements/parity.md.
"""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Rule, Value
from evalplus_lite.values import wire
from evalplus_lite.values.canonical import Keys, KeyTooLong
from evalplus_lite.values.leaves import close
from evalplus_lite.values.pairing import assignable
from evalplus_lite.values.wire import (
    CONTAINERS,
    DICT,
    END,
    FIXED,
    FLOAT,
    LONG,
    SEQUENCES,
    SETS,
    STRINGS,
    Reader,
)

NUMBERS = (int, float, complex)
LONGEST_FLOAT = 2 * 70  # bytes of a long integer beyond which no float is near it: 1,050 bits
# Values compared in search of a partner for elements that are equal to no other exactly.
MAX_STEPS = 500_000
# By how many elements an unordered output may exceed eight times the expected one's, repeated.
MORE_ELEMENTS = 100_000


def matches(output: Value, expected: Value, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether ``output`` is right where ``expected`` is the reference's answer.

    Both are plain values; CodecError if one is not.
    """
    return equal(wire.encode(output), wire.encode(expected), rule)


def equal(output: bytes, expected: bytes, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether an output is right where ``expected`` is the reference's, both in wire form.

    Raises CodecError for an output that is malformed, as far as it had to be read, and for one
    that takes too much comparing.
    """
    if rule.kind == "truthiness":
        return is_present(output) == is_present(expected)
    pair = _Pair(Reader(output), Reader(expected), rule)
    with wire.reading():
        right = pair.unordered() if rule.kind == "unordered" else pair.equal()
    if right:
        pair.a.finish()
    return right


def is_present(data: bytes) -> bool:
    """Return whether a value in wire form is there: neither None nor False."""
    return data not in (b"N", b"F")


class _Pair:
    """An output ``a`` and the expected value ``b``, each a Reader at the values to compare."""

    def __init__(self, a: Reader, b: Reader, rule: Rule) -> None:
        self.a, self.b, self.rule = a, b, rule
        self.strict = rule.kind == "strict"
        self.steps = 0

    def equal(self) -> bool:
        """Return whether the next values are equal; if so, both have been passed."""
        a, b = self.a, self.b
        tag, other = b.tag(), a.tag()
        if tag in SEQUENCES:
            return tag == other and self.sequence()
        if tag == DICT:
            return tag == other and self.dictionary()
        if tag in SETS:
            return other in SETS and (tag == other or not self.strict) and self.set()
        if other in CONTAINERS or (self.strict and tag != other and {tag, other} != _INTEGERS):
            return False
        if other in STRINGS:
            if tag != other:
                return False
            size = b.length()
            return a.length() == size and a.take(size) == b.take(size)
        return self.scalar(other, tag)

    def scalar(self, other: int, tag: int) -> bool:
        a, b = self.a, self.b
        if other == LONG:
            start = a.at
            negative, digits = a.digits()
            if tag == LONG:
                return (negative, digits) == b.digits()
            if len(digits) > LONGEST_FLOAT:  # nor is it None, or a short integer
                return False
            a.at = start
        x, y = a.scalar(other), b.scalar(tag)
        kind = type(y)
        if kind is float or kind is complex:
            return isinstance(x, NUMBERS) and close(x, y, self.rule)
        if isinstance(x, float | complex) and isinstance(y, int):
            return x == y  # exact: the expected leaf is an integer
        return (type(x) is kind or isinstance(x, int)) and bool(x == y)

    def sequence(self) -> bool:
        a, b = self.a, self.b
        count = b.length()
        if a.length() != count:
            return False
        if count >= wire.RUN and (tag := b.data[b.at]) == a.data[a.at] and tag in FIXED:
            x, y = a.run(tag, count), b.run(tag, count)
            if x is not None and y is not None:
                return x == y or self.numbers(tag, x, y)
            a.at -= len(x or b"")
            b.at -= len(y or b"")
        for _ in range(count):  # noqa: SIM110 - a generator would take one more frame a level
            if not self.equal():
                return False
        return True

    def numbers(self, tag: int, x: bytes, y: bytes) -> bool:
        """Return whether two runs of values of one tag, that are not the same bytes, are equal."""
        if tag not in _INEXACT:
            return False
        form = "<xd" if tag == FLOAT else "<xdd"
        pairs = zip(struct.iter_unpack(form, x), struct.iter_unpack(form, y), strict=True)
        if tag == FLOAT:
            return all(p == q or close(p[0], q[0], self.rule) for p, q in pairs)
        return all(p == q or close(complex(*p), complex(*q), self.rule) for p, q in pairs)

    def set(self) -> bool:
        count = self.b.length()
        if self.a.length() != count:
            return False
        theirs = self.keys(self.b)
        wanted = Counter(theirs.many(count))
        ours = self.keys(self.a, longest=max(map(len, wanted), default=0))
        try:
            for key in ours.many(count):
                if not wanted[key]:
                    return False
                wanted[key] -= 1
        except KeyTooLong:
            return False
        return True

    def keys(self, reader: Reader, *, longest: float = math.inf, hashable: bool = True) -> Keys:
        return Keys(reader, strict=self.strict, hashable=hashable, longest=longest)

    def dictionary(self) -> bool:
        """As long as both have the same keys in the same order, values are compared in turn."""
        a, b = self.a, self.b
        ours, theirs = self.keys(a), self.keys(b)
        while b.data[b.at] != END:
            if a.data[a.at] == END:
                return False
            starts = a.at, b.at
            key = theirs.next()
            ours.longest = len(key.data)
            try:
                same = not key.has_nan and ours.next().data == key.data
            except KeyTooLong:
                same = False
            if not same:
                a.at, b.at = starts
                return self.shuffled()
            if not self.equal():
                return False
        ended = a.tag() == END
        b.at += 1
        return ended

    def shuffled(self) -> bool:
        """Compare what is left of two dicts, in any order; equal keys (NaN) in any pairing."""
        a, b = self.a, self.b
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        theirs = self.keys(b)
        count = 0
        while b.data[b.at] != END:
            places[theirs.next().data].append(b.at)
            b.skip(0)
            count += 1
        a.most = a.count + b.count  # what is equal has as many values
        end, ours = b.at + 1, self.keys(a, longest=max(map(len, places), default=0))
        repeated: defaultdict[bytes, list[int]] = defaultdict(list)
        while a.data[a.at] != END:
            try:
                key = ours.next().data
            except KeyTooLong:
                return False
            place = places.get(key)
            if place is None or not count:
                return False
            count -= 1
            if len(place) > 1:
                repeated[key].append(a.at)
                a.skip(0)
            else:
                b.at = place[0]
                del places[key]
                if not self.equal():
                    return False
        finish = a.at + 1
        if count or any(len(found) != len(places[key]) for key, found in repeated.items()):
            return False
        right = all(self.paired(found, places[key]) for key, found in repeated.items())
        a.at, b.at = finish, end
        return right

    def paired(self, ours: list[int], theirs: list[int]) -> bool:
        """Return whether the values at these places are equal, one to one, in some order."""

        def fits(x: int, y: int) -> bool:
            self.a.at, self.b.at = ours[x], theirs[y]
            before = self.a.at
            same = self.equal()
            self.steps += 1 + (self.a.at - before) // 16
            if self.steps > MAX_STEPS:
                raise CodecError("too many values to compare")
            return same

        return assignable(len(ours), fits)

    def unordered(self) -> bool:
        a, b = self.a, self.b
        if not (a.data[0] in _GROUPS and b.data[0] in _GROUPS):
            return self.equal()
        a.at = b.at = 1
        ours, theirs = a.length(), b.length()
        if ours > 8 * theirs + MORE_ELEMENTS:
            raise CodecError(f"{ours} elements, where {theirs} are right")
        start = b.at
        try:
            return self.as_sets(ours, theirs)
        except TypeError:  # elements that cannot be hashed: as multisets, by the leaf rule
            a.at, b.at = 5, start
            return ours == theirs and self.as_multisets(ours)

    def as_sets(self, ours: int, theirs: int) -> bool:
        keys = self.keys(self.b)
        wanted = set(keys.many(theirs))
        found = self.keys(self.a, longest=max(map(len, wanted), default=0), hashable=False)
        met = set()
        try:
            for key in found.many(ours):
                if key not in wanted:
                    return False
                met.add(key)
        except KeyTooLong:
            return False
        return len(met) == len(wanted)

    def as_multisets(self, count: int) -> bool:
        """Elements that have an exact partner are done; the rest are paired by the leaf rule."""
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        for key, at in self.elements(self.b, count, math.inf):
            places[key].append(at)
        rest = []
        # What is equal only by a tolerance may be somewhat longer: 1.0 has fewer bytes than 1.1.
        longest = 64 + 4 * max(map(len, places), default=0)
        try:
            for key, at in self.elements(self.a, count, longest):
                if places.get(key):
                    places[key].pop()
                else:
                    rest.append(at)
        except KeyTooLong:
            return False
        finish = self.a.at
        right = self.paired(rest, [at for group in places.values() for at in group])
        self.a.at = finish
        return right

    def elements(self, reader: Reader, count: int, longest: float) -> Iterator[tuple[bytes, int]]:
        keys = self.keys(reader, longest=longest, hashable=False)
        for _ in range(count):
            at = reader.at
            yield keys.next().data, at


_GROUPS = CONTAINERS - {DICT}
_INTEGERS = {wire.INT, LONG}
_INEXACT = frozenset({FLOAT, wire.COMPLEX})
