"""Whether an output is right: the comparison rules, on values in wire form.

``python`` (the default for published sets, so that numbers compare with the literature): Python
equality, NaN equal to itself; if the *expected* leaf is a float, |a - b| <= max(atol, rtol |b|),
leaf by leaf, in containers of the same shape; integers are exact. ``strict``: also the same type
at every leaf. ``unordered``: as sets of elements. ``multiset``, ``sorted`` and ``fields``:
``values.arrangement``. ``any``: as one of a list of right ones. ``truthiness``: only whether the
output is something, rather than None or False.

The facts about evalplus 0.3.1 that these differ from are in docs/measurements/parity.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Rule, Value
from evalplus_lite.values import wire
from evalplus_lite.values.arrangement import Arranged
from evalplus_lite.values.canonical import KeyTooLong
from evalplus_lite.values.comparison import Pair
from evalplus_lite.values.kinds.kind import LIST
from evalplus_lite.values.wire import CONTAINERS, DICT, WireReader

# By how many elements an unordered output may exceed eight times the expected one's, repeated.
MORE_ELEMENTS = 100_000
_GROUPS = CONTAINERS - {DICT}


def matches(output: Value, expected: Value, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether ``output`` is right if ``expected`` is the reference's output.

    Both are plain values; CodecError if one is not.
    """
    return equal(wire.encode(output), wire.encode(expected), rule)


def equal(output: bytes, expected: bytes, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether an output is right if ``expected`` is the reference's, both in wire form.

    Raises CodecError for an output that is malformed, as far as it had to be read, and for one
    that takes too much comparing.
    """
    if rule.kind == "truthiness":
        return is_something(output) == is_something(expected)
    if rule.kind == "any":
        return any(equal(output, item, replace(rule, kind="python")) for item in _items(expected))
    pair = (Arranged if rule.is_arranged else Pair)(WireReader(output), WireReader(expected), rule)
    with wire.reading():
        right = _unordered(pair) if rule.kind == "unordered" else pair.equal()
    if right:
        pair.a.finish()
    return right


def exact(expected: bytes, rule: Rule) -> bytes:
    """Return bytes that are right as they are: what is expected, or the first of a list of such.

    Empty if the list is none.
    """
    return next(_items(expected), b"") if rule.kind == "any" else expected


def is_something(data: bytes) -> bool:
    """Return whether a value in wire form is neither None nor False."""
    return data not in (b"N", b"F")


def _items(data: bytes) -> Iterator[bytes]:
    """Yield the items of a list in wire form, which is ours."""
    reader = WireReader(data)
    if reader.tag() != wire.LIST:
        return
    for _ in range(reader.length()):
        start = reader.at
        reader.skip(0)
        yield data[start : reader.at]


def _unordered(pair: Pair) -> bool:
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
    except TypeError:  # elements that cannot be hashed: as multisets, by the leaf rule
        a.at, b.at = starts
        right = ours == theirs and _as_multisets(pair, ours)
    for _ in range(parts[0] if right else 0):
        a.skip(0)
    return right


def _opened(reader: WireReader) -> int | None:
    """Pass all before a group's number of elements; None if the value is not a group.

    Returns how many parts follow its elements.
    """
    tag, rest = reader.tag(), 0
    if tag == wire.TUPLE and reader.is_marked():
        kind = reader.head()
        if kind.is_atom or (kind.base != "tuple" and kind.forms[0] != LIST):
            return None
        reader.expect(kind, kind.forms[0])
        tag, rest = reader.tag(), len(kind.forms) - 1
    return rest if tag in _GROUPS else None


def _as_sets(pair: Pair, ours: int, theirs: int) -> bool:
    wanted = set(pair.keys(pair.b).many(theirs))
    found = pair.keys(pair.a, longest=max(map(len, wanted), default=0), hashable=False)
    met = set()
    try:
        for key in found.many(ours):
            if key not in wanted:
                return False
            met.add(key)
    except KeyTooLong:
        return False
    return len(met) == len(wanted)


def _as_multisets(pair: Pair, count: int) -> bool:
    """Drop elements that have an exact partner; pair the rest by the leaf rule."""
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for key, at in _elements(pair, pair.b, count, math.inf):
        places[key].append(at)
    rest = []
    # What is equal only by a tolerance may be somewhat longer: 1.0 has fewer bytes than 1.1.
    longest = 64 + 4 * max(map(len, places), default=0)
    try:
        for key, at in _elements(pair, pair.a, count, longest):
            if places.get(key):
                places[key].pop()
            else:
                rest.append(at)
    except KeyTooLong:
        return False
    finish = pair.a.at
    right = pair.paired(rest, [at for group in places.values() for at in group])
    pair.a.at = finish
    return right


def _elements(
    pair: Pair, reader: WireReader, count: int, longest: float
) -> Iterator[tuple[bytes, int]]:
    keys = pair.keys(reader, longest=longest, hashable=False)
    for _ in range(count):
        at = reader.at
        yield keys.next().data, at
