"""The binary form of values between sandbox and supervisor, and its strict reader.

The form is marshal version 2, which the child writes at C speed. It is exact: it preserves order
and -0.0, distinguishes bool from int, and shares nothing. The supervisor never unmarshals data from
a child: ``WireReader`` knows the few tags of plain values, limits depth and length, and rejects
everything else. Most answers are never read, because equal bytes are equal values. For others,
``comparison`` reads as much as a right answer has; ``check`` reads everything without building
values; ``decode`` builds the value, for data from our own code inside, or for small values.

Extended types (``kinds``) are sent as a tuple of MARK, which no plain value contains, the type's
name and the value's parts.
"""

from __future__ import annotations

import math
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Value
from evalplus_lite.values import encoding
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import BY_NAME

# Limits on hashing, for sets and dicts of untrusted values.

# Maximum bytes to compare because of equal hashes while building a set or dict.
MAX_COMPARED = 1 << 26
HASHING_SECONDS = 0.5
HASHED_AT_ONCE = 1024


def check_hashing(
    items: Iterable[object], size: Callable[[], int], *, mapping: bool = False
) -> int:
    """Raise CodecError if hashable ``items`` of ``size()`` bytes would be slow to hash.

    Returns how many bytes may be compared, as elements with equal hashes are compared with each
    other. Different hashes can still collide in the table, so the hashes alone are first inserted
    into one, in small portions, under a time limit. ``mapping`` means a dict.
    """
    hashes = list(map(hash, items))
    if len(hashes) < 2:
        return 0
    trial: set[int] | dict[int, int] = {} if mapping else set()
    started = time.thread_time()
    for at in range(0, len(hashes), HASHED_AT_ONCE):
        portion = hashes[at : at + HASHED_AT_ONCE]
        if isinstance(trial, set):
            trial.update(portion)
        else:
            trial.update(zip(portion, portion, strict=True))
        # Generous for any honest table on any machine: 10 microseconds per element.
        if time.thread_time() - started > HASHING_SECONDS + at * 1e-5:
            raise CodecError("elements that are slow to hash")
    if len(trial) == len(hashes):
        return 0
    compared = max(Counter(hashes).values()) * size()
    if compared > MAX_COMPARED:
        raise CodecError("too many elements that hash alike")
    return compared


MAX_DEPTH = encoding.MAX_DEPTH
# Additional nesting allowed for our own values, which wrap answers in lists.
DEPTH_IN_HAND = 16
FEW_DIGITS = 16  # of 15 bits each; adding up to this many one by one is faster than via text
RUN = 8  # minimum elements of a list for checking whether all have the same size
NONE, TRUE, FALSE, INT, LONG, FLOAT, COMPLEX = b"NTFilgy"
TEXT, BYTES, LIST, TUPLE, SET, FROZENSET, DICT, END = b"us[(<>{0"
# Bytes after the tags of fixed-size values.
FIXED = {NONE: 0, TRUE: 0, FALSE: 0, INT: 4, FLOAT: 8, COMPLEX: 16}
CONTAINERS = frozenset({LIST, TUPLE, SET, FROZENSET, DICT})
SEQUENCES, SETS = frozenset({LIST, TUPLE}), frozenset({SET, FROZENSET})
MARK = b"."
STRINGS = frozenset({TEXT, BYTES})
UNHASHABLE = frozenset({LIST, SET, DICT})


def encode(value: Value) -> bytes:
    """Return the wire form of a value; raise CodecError if its type has none."""
    try:
        return encoding.encode(value, spare=DEPTH_IN_HAND)
    except encoding.NotPlain as error:
        raise CodecError(f"{error} is not a plain value") from None


def decode(data: bytes, *, hash_limit: int = 1 << 20, most: float = math.inf) -> Value:
    """Return the value of an untrusted wire form.

    Raises CodecError for anything but exactly one plain value with at most ``most`` parts.
    ``hash_limit`` limits the elements of one set or dict; far fewer are accepted if their hashes
    are equal, which takes quadratic time and which the author of a value can arrange.
    """
    reader = WireReader(data, hash_limit=hash_limit, most=most)
    with reading():
        value = reader.value(0)
    reader.finish()
    return value


def check(data: bytes, *, most: float = math.inf) -> int:
    """Return the number of values in an untrusted wire form, including parts.

    Raises CodecError for anything but exactly one plain value with at most ``most`` parts. Builds
    no values, so it needs no memory and no hashing.
    """
    reader = WireReader(data, most=most)
    with reading():
        reader.skip(0)
    reader.finish()
    return reader.count


@contextmanager
def reading() -> Iterator[None]:
    """Convert errors of a WireReader on malformed data into CodecError."""
    try:
        yield
    except (struct.error, IndexError, UnicodeDecodeError, TypeError) as error:
        raise CodecError(f"malformed value: {error}") from None


class WireReader:
    """Reads a wire form from its start; ``at`` is the position of the next byte."""

    __slots__ = ("at", "compared", "count", "data", "hash_limit", "most")

    def __init__(self, data: bytes, *, hash_limit: int = 0, most: float = math.inf) -> None:
        self.data, self.hash_limit, self.most = data, hash_limit, most
        self.at = self.compared = self.count = 0

    def finish(self) -> None:
        """Raise CodecError unless all data was read."""
        if self.at != len(self.data):
            raise CodecError("bytes follow the value")

    def tag(self) -> int:
        """Return the next byte, and advance past it."""
        self.at += 1
        return self.data[self.at - 1]

    def length(self) -> int:
        """Return the next length, if enough data follows: each element takes at least a byte."""
        (count,) = struct.unpack_from("<i", self.data, self.at)
        self.at += 4
        if not 0 <= count <= len(self.data) - self.at:
            raise CodecError(f"a length of {count} exceeds the data")
        return int(count)

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        start, self.at = self.at, self.at + count
        if self.at > len(self.data):
            raise CodecError("the data ends within a value")
        return self.data[start : self.at]

    def run(self, tag: int, count: int) -> bytes | None:
        """Return the next ``count`` values as bytes if all have this fixed-size tag, else None.

        The first value has it, so the tags are a fixed stride apart.
        """
        stride = 1 + FIXED[tag]
        tags = self.data[self.at : self.at + stride * count : stride]
        if len(tags) < count or tags.count(tag) < count:
            return None
        return self.take(stride * count)

    def scalar(self, tag: int) -> Value:
        """Return the value, without parts, after its tag."""
        if tag == INT:
            return int.from_bytes(self.take(4), "little", signed=True)
        if tag == TEXT:
            return self.take(self.length()).decode("utf-8", "surrogatepass")
        if tag == FLOAT:
            return struct.unpack("<d", self.take(8))[0]
        if tag == LONG:
            negative, digits = self.digits()
            return -_number(digits) if negative else _number(digits)
        if tag == BYTES:
            return self.take(self.length())
        if tag == COMPLEX:
            return complex(*struct.unpack("<dd", self.take(16)))
        if tag not in _CONSTANTS:
            raise CodecError(f"{bytes([tag])!r} is not a tag of a plain value")
        return _CONSTANTS[tag]

    def digits(self) -> tuple[bool, bytes]:
        """Return whether a long integer is negative, and its 15-bit digits, lowest first."""
        (count,) = struct.unpack_from("<i", self.data, self.at)
        self.at += 4
        if abs(count) * 2 > len(self.data) - self.at:
            raise CodecError("an integer exceeds the data")
        digits = self.take(abs(count) * 2)
        if not digits[1::2].isascii() or digits.endswith(b"\0\0"):
            raise CodecError("an integer has a digit out of range")
        return count < 0, digits

    def value(self, depth: int) -> Value:
        """Build the next value."""
        self.add(1)
        tag = self.tag()
        if tag not in CONTAINERS:
            return self.scalar(tag)
        if depth > MAX_DEPTH:
            raise CodecError(f"value nests deeper than {MAX_DEPTH}")
        if tag == DICT:
            return self.dictionary(depth + 1)
        if tag == TUPLE and self.is_marked():
            return self.extended(self.head(), depth + 1)
        count, start = self.length(), self.at
        if tag in SETS and count > self.hash_limit:
            raise CodecError(f"a set of {count} elements; the limit here is {self.hash_limit}")
        items = [self.value(depth + 1) for _ in range(count)]
        if tag == LIST:
            return items
        if tag == TUPLE:
            return tuple(items)
        self.hashed(check_hashing(items, lambda: self.at - start))
        return set(items) if tag == SET else frozenset(items)

    def is_marked(self) -> bool:
        """Return whether the tuple, whose tag has been read, is an extended value."""
        return self.data.startswith(MARK, self.at + 4)

    def head(self) -> Kind:
        """Return the type of an extended value, and advance to its parts."""
        count = self.length()
        self.at += 1
        name: str = self.scalar(TEXT) if self.tag() == TEXT else ""
        kind = BY_NAME.get(name)
        if kind is None or count != 2 + len(kind.forms):
            raise CodecError(f"{name!r:.40} is not a type with {count - 2} parts")
        return kind

    def extended(self, kind: Kind, depth: int) -> Value:
        """Build an extended value whose head has been read."""
        parts = []
        for form in kind.forms:
            self.expect(kind, form)
            parts.append(self.value(depth))
        try:
            return kind.make(*parts)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise CodecError(f"malformed {kind.name}: {error}") from None

    def expect(self, kind: Kind, form: bytes) -> None:
        """Raise CodecError unless the next value begins with one of these tags."""
        if self.data[self.at] not in form:
            raise CodecError(f"malformed {kind.name}")

    def dictionary(self, depth: int) -> dict[Value, Value]:
        """Build a dict whose tag has been read."""
        pairs, start = [], self.at
        while self.data[self.at] != END:
            pairs.append((self.value(depth), self.value(depth)))
            if len(pairs) > self.hash_limit:
                raise CodecError(f"a dict of more than {self.hash_limit} keys")
        self.at += 1
        keys = (key for key, _ in pairs)
        self.hashed(check_hashing(keys, lambda: self.at - start, mapping=True))
        return dict(pairs)

    def hashed(self, compared: int) -> None:
        """Add to the bytes that hashing may compare, over all containers of the value."""
        self.compared += compared
        if self.compared > MAX_COMPARED:
            raise CodecError("too many elements that hash alike")

    def skip(self, depth: int, *, hashable: bool = False) -> None:
        """Advance past the next value, with all checks of building it."""
        self.add(1)
        if (tag := self.tag()) not in CONTAINERS:
            self.leaf(tag)
        elif depth > MAX_DEPTH:
            raise CodecError(f"value nests deeper than {MAX_DEPTH}")
        elif hashable and tag in UNHASHABLE:
            raise CodecError("an element that cannot be hashed")
        elif tag == DICT:
            while self.data[self.at] != END:
                self.skip(depth + 1, hashable=True)
                self.skip(depth + 1)
            self.at += 1
        elif tag == TUPLE and self.is_marked():
            self.skip_extended(depth + 1, hashable)
        else:
            count = self.length()
            if count >= RUN and (first := self.data[self.at]) in FIXED and self.run(first, count):
                self.add(count)
                return
            hashable = hashable or tag in SETS
            for _ in range(count):
                self.skip(depth + 1, hashable=hashable)

    def skip_extended(self, depth: int, hashable: bool) -> None:
        """Advance past an extended value whose tag has been read."""
        kind = self.head()
        if hashable and not kind.is_hashable:
            raise CodecError("an element that cannot be hashed")
        if kind.is_atom:
            self.extended(kind, depth)
            return
        for form in kind.forms:
            self.expect(kind, form)
            self.skip(depth, hashable=hashable)

    def leaf(self, tag: int) -> None:
        """Skip the rest of a value without parts, whose tag has been read."""
        if tag in FIXED:
            self.at += FIXED[tag]
            if self.at > len(self.data):
                raise CodecError("the data ends within a value")
        elif tag == LONG:
            self.digits()
        else:  # decode it, as it may not be UTF-8
            self.scalar(tag)

    def add(self, count: int) -> None:
        """Count values; raise CodecError if there are too many."""
        self.count += count
        if self.count > self.most:
            raise CodecError(f"a value of more than {self.most} parts")


def _number(digits: bytes) -> int:
    values = struct.unpack(f"<{len(digits) // 2}H", digits)
    magnitude = 0
    if len(values) <= FEW_DIGITS:
        for digit in reversed(values):
            magnitude = magnitude << 15 | digit
        return magnitude
    # linear, because the base is a power of two, to which the limit on digits does not apply either
    return int("".join([format(digit, "015b") for digit in reversed(values)]), 2)


_CONSTANTS: dict[int, Value] = {NONE: None, TRUE: True, FALSE: False}
