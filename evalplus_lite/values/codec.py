"""Exact tagged JSON for plain Python values, as used in output files.

Values that JSON represents exactly are plain JSON. The rest is an object with one key that starts
with ``$``: ``$tuple``, ``$set``, ``$frozenset``, ``$bytes`` (hex), ``$complex`` ([real,
imaginary]), ``$float`` (nan, inf, -inf), ``$int`` (hex, beyond 4,000 digits, which Python would
not parse) and ``$dict`` ([[key, value], ...], if a key is not a string or starts with
``$``); for extended types their names in ``kinds``: ``$decimal`` and so on.
NaN payloads are lost; everything else round-trips to an equal value of the same type and order
(sets are written in the order of their elements' text, so equal sets give equal bytes).
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import BY_NAME, BY_TYPE
from evalplus_lite.values.wire import check_hashing

# Maximum nesting of values: far beyond any real test input, well within Python's own stack.
MAX_DEPTH = 200
# Maximum number of values in one encoded value, counting shared parts each time they occur.
MAX_NODES = 5_000_000
# Maximum bits of integers in plain JSON: under 4,000 digits, which every parser here accepts.
BIG_INT_BITS = 13_000
_NO_STACK = "value nests deeper than the stack has room for here"


def dumps(value: Value) -> str:
    """Return the tagged JSON text of a plain value, as compact ASCII.

    Raises CodecError for anything but exact plain builtins (also for a subclass), for a cycle, and
    beyond ``MAX_DEPTH`` or ``MAX_NODES``.
    """
    tree = to_json(value)
    try:
        return json.dumps(tree, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise CodecError(_NO_STACK) from None


def loads(text: str | bytes) -> Value:
    """Return the value of a tagged JSON text; raise CodecError if it is invalid."""
    try:
        parsed = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not tagged JSON: {error}") from None
    return from_json(parsed)


def to_json(value: Value) -> Any:
    """Return the JSON-ready tree of a plain value (lists, dicts with string keys, scalars)."""
    try:
        return _Encoder().encode(value, 0)
    except RecursionError:
        raise CodecError(_NO_STACK) from None


def from_json(tree: Any) -> Value:
    """Return the value of a JSON-ready tree; raise CodecError if it is invalid."""
    try:
        return _decode(tree, 0)
    except RecursionError:
        raise CodecError(_NO_STACK) from None


class _Encoder:
    """A traversal of a value that counts nodes and detects cycles."""

    def __init__(self) -> None:
        self.nodes = 0
        self.open: set[int] = set()

    def encode(self, value: Value, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise CodecError(f"value holds more than {MAX_NODES} parts")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if value.bit_length() <= BIG_INT_BITS else {"$int": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if kind is complex:
            return {"$complex": [self.encode(value.real, depth), self.encode(value.imag, depth)]}
        if kind is bytes:
            return {"$bytes": value.hex()}
        extended = BY_TYPE.get(kind)
        if kind not in _CONTAINERS and extended is None:
            raise CodecError(f"{kind.__module__}.{kind.__qualname__} is not a plain value")
        if depth >= MAX_DEPTH:
            raise CodecError(f"value nests deeper than {MAX_DEPTH}")
        if id(value) in self.open:
            raise CodecError("value contains itself")
        self.open.add(id(value))
        try:
            if extended is not None:
                return {f"${extended.name}": self.encode(_body(extended, value), depth + 1)}
            return self._container(kind, value, depth + 1)
        finally:
            self.open.discard(id(value))

    def _container(self, kind: type, value: Any, depth: int) -> Any:
        if kind is dict:
            if all(type(key) is str and key[:1] != "$" for key in value):
                return {key: self.encode(item, depth) for key, item in value.items()}
            pairs = [[self.encode(k, depth), self.encode(v, depth)] for k, v in value.items()]
            return {"$dict": pairs}
        items = [self.encode(item, depth) for item in value]
        if kind is list:
            return items
        if kind is tuple:
            return {"$tuple": items}
        items.sort(key=lambda item: json.dumps(item, separators=(",", ":")))
        return {"$set" if kind is set else "$frozenset": items}


_CONTAINERS = frozenset({list, tuple, set, frozenset, dict})


def _body(kind: Kind, value: Any) -> Value:
    try:
        return kind.to_body(value)
    except (TypeError, ValueError) as error:
        raise CodecError(str(error)) from None


def _refuse_constant(name: str) -> Any:
    raise CodecError(f"{name} is not tagged JSON; write {{'$float': ...}}")


def _decode(tree: Any, depth: int) -> Value:
    kind = type(tree)
    if kind is list:
        _enter(depth)
        return [_decode(item, depth + 1) for item in tree]
    if kind is not dict:
        return tree
    if len(tree) == 1:
        ((tag, body),) = tree.items()
        if tag[:1] == "$":
            return _tagged(tag, body, depth)
    if any(key[:1] == "$" for key in tree):
        raise CodecError(f"a tag is among other keys: {sorted(tree)[:4]}")
    _enter(depth)
    return {key: _decode(item, depth + 1) for key, item in tree.items()}


def _enter(depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise CodecError(f"text nests deeper than {MAX_DEPTH}")


def _tagged(tag: str, body: Any, depth: int) -> Value:
    if tag not in _TAGS:
        raise CodecError(f"unknown tag {tag!r}; known: {', '.join(_TAGS)}")
    try:
        if tag in _SCALARS:
            return _SCALARS[tag](body)
        if tag[1:] in BY_NAME:
            _enter(depth)
            return BY_NAME[tag[1:]].from_body(_decode(body, depth + 1))
        if type(body) is not list:
            raise TypeError("a list was expected")
        _enter(depth)
        if tag in _SEQUENCES:
            items = [_decode(item, depth + 1) for item in body]
            if tag != "$tuple":
                check_hashing(items, lambda: len(json.dumps(body)))
            return _SEQUENCES[tag](items)
        if any(type(pair) is not list or len(pair) != 2 for pair in body):
            raise TypeError("a list of [key, value] was expected")
        pairs = [(_decode(key, depth + 1), _decode(item, depth + 1)) for key, item in body]
        keys = (key for key, _ in pairs)
        check_hashing(keys, lambda: len(json.dumps(body)), mapping=True)
        return dict(pairs)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise CodecError(f"{tag} holds {_shown(body)}: {error}") from None


def _shown(body: Any) -> str:
    try:
        return reprlib.repr(body)[:60]  # of a few of its parts only
    except ValueError:  # an integer of more than 4,300 digits
        return f"a {type(body).__name__}"


def _float(body: Any) -> float:
    if body not in ("nan", "inf", "-inf"):
        raise ValueError("nan, inf or -inf was expected")
    return float(body)


def _complex(body: Any) -> complex:
    parts = [_decode(part, 0) for part in body]
    if len(parts) != 2 or any(type(part) is not float for part in parts):
        raise TypeError("two floats were expected")
    return complex(*parts)


_SCALARS: dict[str, Callable[[Any], Value]] = {
    "$bytes": bytes.fromhex,
    "$int": lambda body: int(body, 16),
    "$float": _float,
    "$complex": _complex,
}
_SEQUENCES: dict[str, Callable[[list[Value]], Value]] = {
    "$tuple": tuple,
    "$set": set,
    "$frozenset": frozenset,
}
_TAGS = sorted([*_SCALARS, *_SEQUENCES, "$dict", *(f"${name}" for name in BY_NAME)])
