"""The child's side of the wire form: encoding values, receiving arguments, describing exceptions.

This file's *text* runs in the sandbox's bare interpreter before that of ``child``, in the same
namespace, so it imports only the standard library; the text of ``kinds`` follows it there. The
supervisor uses it to encode what it sends.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Sequence
from typing import Any

MAX_DEPTH = 200
TYPE_NAME = type.__dict__["__name__"].__get__  # a class's own name, whatever its metaclass says
MODULE = type.__dict__["__module__"].__get__
BASES = type.__dict__["__mro__"].__get__
SCALARS: frozenset[type] = frozenset({int, float, str, bool, type(None)})
SHORT = SCALARS - {str}
PLAIN = SCALARS | {bytes, complex, list, tuple, dict, set, frozenset}
# Marks a tuple as an extended value in wire form: its first item, which no plain value contains.
# marshal cannot write custom tags.
MARK: Any = ...
HEADS = tuple(b"(" + bytes([count]) + b"\0\0\0." for count in range(3, 8))
# By full class name: the type's name, and the function that splits such a value into parts.
PACKS: dict[str, tuple[str, Callable[[Any], Any]]] = {}
# By class, for those met so far: the entry of PACKS for the class or one of its bases.
KNOWN: dict[type, tuple[str, Callable[[Any], Any]] | None] = {}
# By type name: the function that builds a value from its parts.
UNPACKS: dict[str, Callable[[Any, Callable[[str], Any]], Any]] = {}


class NotPlain(Exception):
    """A value's type cannot be sent; the argument names the type."""


def register(
    name: str,
    classes: Sequence[str],
    pack: Callable[[Any], Any],
    unpack: Callable[[Any, Callable[[str], Any]], Any],
) -> None:
    """Register a type under the full names of its classes."""
    for each in classes:
        PACKS[each] = name, pack
    UNPACKS[name] = unpack


def encode(
    value: Any,
    dumps: Callable[[Any, int], bytes] = marshal.dumps,
    scalars: frozenset[type] = SCALARS,
    spare: int = 0,
) -> bytes:
    """Return the exact wire form of a value: marshal version 2, which has no references.

    Subclasses of plain types are reduced to the plain value by the base type's own C methods, so
    that none of their overrides runs; a value of a type in ``kinds`` is a tuple of MARK, the type's
    name and its parts; anything else raises NotPlain. ``spare`` is how much deeper than
    ``MAX_DEPTH`` it may nest.
    """
    if type(value) not in scalars:
        try:
            data = dumps(value, 2)
        except (ValueError, TypeError, RecursionError):
            data = b"s"
        # marshal writes any object with a buffer (bytearray, array, ndarray) as if it were bytes.
        if b"s" not in data:
            return data
        try:
            value = plain(value, -spare)
        except TypeError as error:  # an element with unhashable parts that was hashed by identity
            if not str(error).startswith("unhashable"):
                raise
            raise NotPlain(str(error)) from None
    try:
        return dumps(value, 2)
    except ValueError:  # raised by marshal for a plain value if memory runs out
        raise MemoryError from None


def plain(value: Any, depth: int) -> Any:
    """Return ``value`` rebuilt from exact builtin types, or raise NotPlain."""
    kind = type(value)
    if kind in SCALARS or kind is bytes or kind is complex:
        return value
    if depth > MAX_DEPTH:
        raise NotPlain(f"{kind.__name__} nested deeper than {MAX_DEPTH}")
    if kind not in PLAIN and (packed := extended(value, kind)):
        return (MARK, packed[0], *[plain(part, depth + 1) for part in packed[1]])
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


def extended(value: Any, kind: type) -> tuple[str, Sequence[Any]] | None:
    """Return the type's name and the parts of a value whose class or base class is registered."""
    if kind not in KNOWN:
        KNOWN[kind] = next(filter(None, map(known, BASES(kind))), None)
    entry = KNOWN[kind]
    parts = entry and entry[1](value)
    return None if entry is None or parts is None else (entry[0], parts)


def known(kind: type) -> tuple[str, Callable[[Any], Any]] | None:
    """Return the registration of a class, if it really is the class with that name."""
    name, module = TYPE_NAME(kind), str(MODULE(kind))
    entry = PACKS.get(f"{module}.{name}")
    if entry and getattr(sys.modules.get(module), name, None) is kind:
        return entry
    if "__dataclass_fields__" in kind.__dict__:
        return PACKS["dataclass"]
    return PACKS["namedtuple"] if "_fields" in kind.__dict__ and issubclass(kind, tuple) else None


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


def arrived(data: bytes, value: Any) -> Any:
    """Return the cases (or arguments) read from ``data``, with extended values built.

    Plain values are returned unchanged. Extended values are built for each case, because their
    classes may belong to the program, which is loaded by then.
    """
    if not any(head in data for head in HEADS):
        return value
    return Arriving(value) if type(value) is list else built(value)


class Arriving:
    """Cases whose arguments are built on access."""

    def __init__(self, cases: list[Any]) -> None:
        self.cases = cases

    def __len__(self) -> int:
        return len(self.cases)

    def __getitem__(self, index: int) -> Any:
        return built(self.cases[index])


def built(value: Any) -> Any:
    """Return a value with its extended parts built."""
    kind = type(value)
    if kind is tuple and value and value[0] is MARK:
        return UNPACKS[value[1]]([built(part) for part in value[2:]], declared)
    if kind is dict:
        return {built(key): built(item) for key, item in value.items()}
    if kind is list or kind is tuple or kind is set or kind is frozenset:
        return kind(map(built, value))
    return value


def declared(name: str) -> Any:
    """Return the program's object under a dotted name, or None.

    ``declared.made`` has classes that were created because the program has none with that name.
    """
    value: Any = sys.modules.get("program")
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


declared.made = {}  # type: ignore[attr-defined]
