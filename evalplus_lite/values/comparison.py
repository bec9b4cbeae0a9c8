"""Comparison of two values in wire form, in parallel up to the first difference.

Neither value is built or hashed by Python, because a sample may choose an output that is large or
slow to hash. Elements of sets and keys of dicts are looked up by canonical bytes, even if many are
NaN. So an output costs about as much as the expected value, whatever it contains.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Rule
from evalplus_lite.values import wire
from evalplus_lite.values.canonical import Keys, KeyTooLong
from evalplus_lite.values.kinds.kind import Base, Kind
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
    TUPLE,
    WireReader,
)

# One-to-one matching of the elements of two collections.


def assignable(count: int, fits: Callable[[int, int], bool]) -> bool:
    """Return whether ``count`` items can be matched one-to-one with ``count`` partners.

    Uses augmenting paths: https://en.wikipedia.org/wiki/Bipartite_graph#Matching.
    """
    mate: dict[int, int] = {}
    owner: dict[int, int] = {}
    for first in range(count):
        reached: dict[int, int] = {}
        waiting, free = [first], None
        for x in waiting:
            for y in range(count):
                if y not in reached and fits(x, y):
                    reached[y] = x
                    if y not in owner:
                        free = y
                        break
                    waiting.append(owner[y])
            if free is not None:
                break
        if free is None:
            return False
        while free is not None:
            x = reached[free]
            owner[free], mate[x], free = x, free, mate.get(x)
    return True


# Comparison of two leaves, of the output and of the expected value.

NUMBERS = (int, float, complex)


def same(a: Any, b: Any, rule: Rule) -> bool:
    """Return whether ``a`` equals the expected ``b``; both are plain, Decimal or Fraction.

    Uses Python's equality or, if ``b`` is a float, the rule's tolerance; NaN equals NaN.
    """
    if isinstance(b, float | complex):
        if isinstance(a, Decimal | Fraction):
            try:
                a = float(a)
            except OverflowError:
                return False
        return isinstance(a, NUMBERS) and close(a, b, rule)
    return bool(a == b) or (a != a and b != b)


def close(a: Any, b: Any, rule: Rule) -> bool:
    """Return whether ``a`` is within the rule's tolerance of ``b``; NaN equals NaN."""
    if a == b:
        return True
    if isinstance(a, complex) or isinstance(b, complex):
        try:
            a, b = complex(a), complex(b)
            return close(a.real, b.real, rule) and close(a.imag, b.imag, rule)
        except OverflowError:  # an integer too long for a float
            return False
    if math.isnan(b):
        return isinstance(a, float) and math.isnan(a)
    try:
        difference = abs(a - b)
    except OverflowError:  # an integer too long for a float
        return False
    return bool(difference <= max(rule.atol, rule.rtol * abs(b))) and math.isfinite(b)


# Comparison of printed text, by the rules of programming contests.

TEXT_RULES = frozenset({"lines", "tokens", "numbers"})
LONGEST_NUMBER = 400
"""Maximum length, in characters, of a token to which a tolerance applies."""

_TOKEN = re.compile(rb"[^ \t\n\r\f\v]+")
_SPACE = b" \t\n\r\f\v"
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_INTEGER = re.compile(rb"[-+]?[0-9]+")


def same_text(output: bytes, expected: bytes, rule: Rule) -> bool:
    """Return whether a text is right by a rule in ``TEXT_RULES``."""
    if output == expected:
        return True
    if rule.kind == "lines":
        return _same(_lines(output), _lines(expected))
    if rule.kind == "tokens":
        return _same(_tokens(output), _tokens(expected))
    return _same(_tokens(output), _tokens(expected), lambda a, b: _near(a, b, rule))


def _same(
    ours: Iterator[bytes],
    theirs: Iterator[bytes],
    near: Callable[[bytes, bytes], bool] = lambda a, b: False,
) -> bool:
    for a, b in zip_longest(ours, theirs):
        if a != b and (a is None or b is None or not near(a, b)):
            return False
    return True


def _lines(text: bytes) -> Iterator[bytes]:
    """Yield the lines without trailing white space, up to the last one that is not blank."""
    text = text.rstrip(_SPACE)
    begin = 0
    while (end := text.find(b"\n", begin)) >= 0:
        yield text[begin:end].rstrip(_SPACE)
        begin = end + 1
    yield text[begin:]


def _tokens(text: bytes) -> Iterator[bytes]:
    return (match[0] for match in _TOKEN.finditer(text))


def _near(a: bytes, b: bytes, rule: Rule) -> bool:
    """Return whether a token is close to an expected non-integer number."""
    if max(len(a), len(b)) > LONGEST_NUMBER or _INTEGER.fullmatch(b):
        return False
    if not (_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)):
        return False
    return close(float(a), float(b), rule)


LONGEST_FLOAT = 2 * 70  # maximum bytes of a long integer that can be near a float: 1,050 bits
ZERO = wire.encode(0)
LONGEST_ATOM = 1 << 14  # and longest that can equal a value of ``kinds``
# Maximum comparisons in search of partners for elements without an exactly equal one.
MAX_STEPS = 500_000
_INTEGERS = {wire.INT, LONG}
_INEXACT = frozenset({FLOAT, wire.COMPLEX})


class ValueComparison:
    """Compares an output ``a`` with the expected value ``b``, given as WireReaders."""

    def __init__(self, a: WireReader, b: WireReader, rule: Rule) -> None:
        self.a, self.b, self.rule = a, b, rule
        self.strict, self.printed = rule.kind == "strict", rule.kind in TEXT_RULES
        self.steps = 0

    def equal(self) -> bool:
        """Return whether the next values are equal; if so, advance past both."""
        a, b = self.a, self.b
        tag, other = b.tag(), a.tag()
        if (tag == TUPLE and b.is_marked()) or (other == TUPLE and a.is_marked()):
            return self._extended(other, tag)
        if tag in SEQUENCES:
            return tag == other and self._sequence()
        if tag == DICT:
            return tag == other and self._dictionary()
        if tag in SETS:
            return other in SETS and (tag == other or not self.strict) and self._set()
        if other in CONTAINERS or (self.strict and tag != other and {tag, other} != _INTEGERS):
            return False
        if other in STRINGS:
            if tag != other:
                return False
            size, ours = b.length(), a.length()
            if self.printed and tag == wire.TEXT:
                return same_text(a.take(ours), b.take(size), self.rule)
            return ours == size and a.take(size) == b.take(size)
        return self._scalar(other, tag)

    def _scalar(self, other: int, tag: int) -> bool:
        a, b = self.a, self.b
        if other == LONG:
            start = a.at
            negative, digits = a.digits()
            if tag == LONG:
                return (negative, digits) == b.digits()
            if len(digits) > LONGEST_FLOAT:  # and it is not None, or a short integer
                return False
            a.at = start
        x, y = a.scalar(other), b.scalar(tag)
        kind = type(y)
        if kind is float or kind is complex:
            return isinstance(x, NUMBERS) and close(x, y, self.rule)
        if isinstance(x, float | complex) and isinstance(y, int):
            return x == y  # exact: the expected leaf is an integer
        return (type(x) is kind or isinstance(x, int)) and bool(x == y)

    def _sequence(self) -> bool:
        a, b = self.a, self.b
        count = b.length()
        if a.length() != count:
            return False
        if count >= wire.RUN and (tag := b.data[b.at]) == a.data[a.at] and tag in FIXED:
            x, y = a.run(tag, count), b.run(tag, count)
            if x is not None and y is not None:
                return x == y or self._numbers(tag, x, y)
            a.at -= len(x or b"")
            b.at -= len(y or b"")
        for _ in range(count):  # noqa: SIM110 - a generator would take one more frame a level
            if not self.equal():
                return False
        return True

    def _numbers(self, tag: int, x: bytes, y: bytes) -> bool:
        """Return whether two runs of values with one tag, but different bytes, are equal."""
        if tag not in _INEXACT:
            return False
        form = "<xd" if tag == FLOAT else "<xdd"
        pairs = zip(struct.iter_unpack(form, x), struct.iter_unpack(form, y), strict=True)
        if tag == FLOAT:
            return all(p == q or close(p[0], q[0], self.rule) for p, q in pairs)
        return all(p == q or close(complex(*p), complex(*q), self.rule) for p, q in pairs)

    def _set(self) -> bool:
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

    def keys(self, reader: WireReader, *, longest: float = math.inf, hashable: bool = True) -> Keys:
        """Return a reader of the canonical bytes of a reader's next values."""
        return Keys(reader, strict=self.strict, hashable=hashable, longest=longest)

    def _extended(self, other: int, tag: int) -> bool:
        """Compare two values, at least one of which has an extended type."""
        a, b = self.a, self.b
        given = a.head() if other == TUPLE and a.is_marked() else None
        kind = b.head() if tag == TUPLE and b.is_marked() else None
        if kind is not None and kind is given:
            return self._atoms(given, kind) if kind.is_atom else self._parts(kind)
        base = _base(kind, tag)
        if self.strict or base is None or base != _base(given, other):
            return False
        if base == "scalar":
            return self._atoms(given, kind, other, tag)
        for reader, of in ((a, given), (b, kind)):
            if of is None:
                reader.at -= 1
            else:
                reader.expect(of, of.forms[0])
        if not self.equal():
            return False
        for reader, of in ((a, given), (b, kind)):
            for _ in of.forms[1:] if of else ():
                reader.skip(0)
        return True

    def _atoms(self, given: Kind | None, kind: Kind | None, other: int = 0, tag: int = 0) -> bool:
        """Compare two values without parts, each of an extended type or with a plain tag."""
        if given is None and other == LONG:
            start = self.a.at
            if len(self.a.digits()[1]) > LONGEST_ATOM:
                return False
            self.a.at = start
        x = self.a.scalar(other) if given is None else self.a.extended(given, 0)
        y = self.b.scalar(tag) if kind is None else self.b.extended(kind, 0)
        if self.strict and kind is not None and kind.details(x) != kind.details(y):
            return False
        return same(given.key(x) if given else x, kind.key(y) if kind else y, self.rule)

    def _parts(self, kind: Kind) -> bool:
        """Compare two values of the same type, part by part."""
        a, b = self.a, self.b
        compared = kind.typed if self.strict else kind.compared
        for at, form in enumerate(kind.forms):
            a.expect(kind, form)
            b.expect(kind, form)
            if at >= compared:
                a.skip(0)
                b.skip(0)
            elif kind.drops_zeros:
                x, y = WireReader(without_zeros(a)), WireReader(without_zeros(b))
                if not ValueComparison(x, y, self.rule).equal():
                    return False
            elif kind.is_ordered:
                a.at, b.at = a.at + 1, b.at + 1
                if not self._dictionary(is_ordered=True):
                    return False
            elif not self.equal():
                return False
        return True

    def _dictionary(self, *, is_ordered: bool = False) -> bool:
        """Compare values in sequence, while both dicts have the same keys in the same order."""
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
                return not is_ordered and self._shuffled()
            if not self.equal():
                return False
        ended = a.tag() == END
        b.at += 1
        return ended

    def _shuffled(self) -> bool:
        """Compare the remaining items of two dicts in any order, and NaN keys in any pairing."""
        a, b = self.a, self.b
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        theirs = self.keys(b)
        count = 0
        while b.data[b.at] != END:
            places[theirs.next().data].append(b.at)
            b.skip(0)
            count += 1
        a.most = a.count + 8 * b.count  # equal values have as many parts
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

    def pair_off(self, count: int, levels: frozenset[int] = frozenset()) -> bool:
        """Return whether the next elements are equal one-to-one in some order, and advance.

        Elements with an exact partner are dropped, and the rest are matched by the leaf rule.
        ``levels`` are the elements' levels at which order is ignored.
        """
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        for key, at in self._elements(self.b, count, levels, math.inf):
            places[key].append(at)
        # Values equal only by a tolerance may be longer: 1.0 has fewer bytes than 1.1.
        longest = 64 + 4 * max(map(len, places), default=0)
        rest = []
        try:
            for key, at in self._elements(self.a, count, levels, longest):
                if places.get(key):
                    places[key].pop()
                else:
                    rest.append(at)
        except KeyTooLong:
            return False
        ends = self.a.at, self.b.at
        right = self.paired(rest, [at for group in places.values() for at in group])
        self.a.at, self.b.at = ends
        return right

    def _elements(
        self, reader: WireReader, count: int, levels: frozenset[int], longest: float
    ) -> Iterator[tuple[bytes, int]]:
        keys = Keys(reader, strict=self.strict, hashable=False, longest=longest, levels=levels)
        for _ in range(count):
            at = reader.at
            yield keys.next().data, at

    def paired(self, ours: list[int], theirs: list[int]) -> bool:
        """Return whether the values at these positions are equal one-to-one in some order."""

        def fits(x: int, y: int) -> bool:
            self.a.at, self.b.at = ours[x], theirs[y]
            before = self.a.at
            same = self.equal()
            self.steps += 1 + (self.a.at - before) // 16
            if self.steps > MAX_STEPS:
                raise CodecError("too many values to compare")
            return same

        return assignable(len(ours), fits)


def _base(kind: Kind | None, tag: int) -> Base | None:
    """Return the plain type as which a value compares with values of other types."""
    if kind is not None:
        return kind.base
    if tag not in CONTAINERS:
        return "scalar"
    return "tuple" if tag == TUPLE else "dict" if tag == DICT else None


def without_zeros(reader: WireReader) -> bytes:
    """Advance past a dict, and return it without the items that are 0."""
    start, kept = reader.at, []
    reader.at += 1
    while reader.data[reader.at] != END:
        at = reader.at
        reader.skip(0, hashable=True)
        middle = reader.at
        reader.skip(0)
        item = WireReader(reader.data[middle : reader.at])
        if reader.at - middle > 32 or Keys(item, strict=False, hashable=False).next().data != ZERO:
            kept.append(reader.data[at : reader.at])
    reader.at += 1
    return reader.data[start : start + 1] + b"".join(kept) + bytes([END])
