"""Values as Python source, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE

# Longer integers are written in hexadecimal: Python refuses to read longer decimal ones.
DIGITS = 4000


# How deep brackets may nest: Python's tokenizer takes 199, and values are inside some.
MAX_BRACKETS = 190


def is_readable(value: Value) -> bool:
    """Return whether Python reads ``literal(value)``, whose brackets may nest 199 deep.

    It does not if a value is of a class that some program declares.
    """
    level, depth = [value], 0
    while level and depth <= MAX_BRACKETS:
        if any((kind := BY_TYPE.get(type(part))) and not kind.call for part in level):
            return False
        # A frozenset is written with two.
        depth += 2 if any(type(part) is frozenset for part in level) else 1
        level = [item for part in level for item in _parts(part)]
    return not level


def _parts(value: Value) -> Iterable[Value]:
    if type(value) is dict:
        return [*value, *value.values()]
    if type(value) in BY_TYPE:
        return BY_TYPE[type(value)].split(value)
    return value if type(value) in (list, tuple, set, frozenset) else ()


def literal(value: Value, *, quote: Callable[[str], str] = ascii) -> str:
    """Return an expression that, evaluated without imports, is the value again.

    ``quote`` writes a text: ``repr`` for people, who read other letters than ASCII's, too. Equal
    values have one text: the elements of a set are sorted by theirs.
    """
    kind = type(value)
    part = partial(literal, quote=quote)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if kind is complex:
        if math.isfinite(value.real) and math.isfinite(value.imag):
            return f"complex({value.real!r}, {value.imag!r})"
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if kind is int:
        return repr(value) if value.bit_length() < 3 * DIGITS else hex(value)
    if kind is str:
        return quote(value)
    if kind is list:
        return f"[{_items(value, part)}]"
    if kind is tuple:
        return f"({_items(value, part)}{',' if len(value) == 1 else ''})"
    if kind is dict:
        return "{" + ", ".join(f"{part(k)}: {part(v)}" for k, v in value.items()) + "}"
    if kind is set or kind is frozenset:
        # Sorted, so that equal sets are equal texts whatever order they hold their elements in.
        items = ", ".join(sorted(map(part, value)))
        if kind is frozenset:
            return f"frozenset({{{items}}})" if items else "frozenset()"
        return f"{{{items}}}" if items else "set()"
    if kind in BY_TYPE:
        return BY_TYPE[kind].source(value, part)
    return repr(value)


def call(name: str, arguments: tuple[Value, ...]) -> str:
    """Return the call of a function with these arguments, as source."""
    return f"{name}({', '.join(map(literal, arguments))})"


def _items(values: Iterable[Value], part: Callable[[Value], str]) -> str:
    return ", ".join(map(part, values))
