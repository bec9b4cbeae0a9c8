"""Plain values in wire form, as a child writes them, and exceptions as text.

This file's *text* runs in the sandbox's bare interpreter before that of ``child``, in the same
namespace, so it imports the standard library only. The supervisor encodes what it sends with it.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 200
TYPE_NAME = type.__dict__["__name__"].__get__  # a class's own name, whatever its metaclass says
SCALARS: frozenset[type] = frozenset({int, float, str, bool, type(None)})
SHORT = SCALARS - {str}


class NotPlain(Exception):
    """A value is not a plain builtin value; the argument names its type."""


def encode(
    value: Any,
    dumps: Callable[[Any, int], bytes] = marshal.dumps,
    scalars: frozenset[type] = SCALARS,
    spare: int = 0,
) -> bytes:
    """Return the exact wire form of a plain value: marshal version 2, which has no references.

    Subclasses of plain types are reduced to the plain value underneath by the base type's own C
    methods, so that no override of theirs runs; anything else raises NotPlain. ``spare`` is
    how much deeper than ``MAX_DEPTH`` it may nest.
    """
    if type(value) not in scalars:
        try:
            data = dumps(value, 2)
        except (ValueError, TypeError, RecursionError):
            data = b"s"
        # marshal writes any object with a buffer (bytearray, array, ndarray) as if it were bytes.
        if b"s" not in data:
            return data
        value = plain(value, -spare)
    try:
        return dumps(value, 2)
    except ValueError:  # what marshal raises for a plain value when memory runs out
        raise MemoryError from None


def plain(value: Any, depth: int) -> Any:
    """Return ``value`` rebuilt from exact builtin types, or raise NotPlain."""
    kind = type(value)
    if kind in SCALARS or kind is bytes or kind is complex:
        return value
    if depth > MAX_DEPTH:
        raise NotPlain(f"{kind.__name__} nested deeper than {MAX_DEPTH}")
    if issubclass(kind, (list, tuple)):
        base = list if issubclass(kind, list) else tuple
        items = [plain(item, depth + 1) for item in base.__getitem__(value, slice(None))]
        return items if base is list else tuple(items)
    if issubclass(kind, dict):
        pairs = dict.items(dict.copy(value))
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in pairs}
    if issubclass(kind, (set, frozenset)):
        items = [plain(item, depth + 1) for item in set.__or__(set(), value)]
        return set(items) if issubclass(kind, set) else frozenset(items)
    if issubclass(kind, int):
        return int.__add__(value, 0)
    if issubclass(kind, float):
        return float.__mul__(value, 1.0)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))
    if issubclass(kind, complex):
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    generic: Any = getattr(sys.modules.get("numpy"), "generic", None)
    if isinstance(generic, type) and issubclass(kind, generic):
        item = generic.__dict__["item"](value)
        if not issubclass(type(item), generic):
            return plain(item, depth + 1)
    raise NotPlain(f"{kind.__module__}.{kind.__qualname__}")


def describe(error: BaseException, dumps: Callable[[Any, int], bytes] = marshal.dumps) -> bytes:
    """Return the wire form of (type name, message, line) of an exception; never raises."""
    try:
        message = str(error)
    except BaseException:
        message = "<the exception cannot be printed>"
    line = None
    try:
        if isinstance(error, SyntaxError) and error.filename == "<program>":
            line = error.lineno
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<program>":
                line = trace.tb_lineno
            trace = trace.tb_next
        message = str.__str__(message)[:2000].encode("utf-8", "replace").decode()
        return dumps((TYPE_NAME(type(error)), message, line), 2)
    except BaseException:
        return dumps(("Exception", "<the exception cannot be described>", None), 2)
