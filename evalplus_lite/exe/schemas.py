"""JSON of a type's values: the schema that a model's calls are asked in, and its strict reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.types import Value

_SIMPLE: dict[str, tuple[str, tuple[type, ...]]] = {
    "none": ("null", (type(None),)), "bool": ("boolean", (bool,)), "int": ("integer", (int,)),
    "float": ("number", (float, int)), "str": ("string", (str,)), "bytes": ("string", (str,)),
    "date": ("string", (str,)), "datetime": ("string", (str,)),
}  # fmt: skip
_ARRAYS = {"tuple": tuple, "set": set, "frozenset": frozenset}
_ARRAY_KINDS = frozenset({*_ARRAYS, "list", "sequence", "iterable", "iterator", "collection"})
_TAGS = frozenset(f"${name}" for name in _ARRAYS)
_ANYTHING = Type("union", tuple(map(Type, ("none", "bool", "int", "float", "str"))))


class MisfitError(ValueError):
    """A value is not of its type; the message says where and how."""


def schema_of(kind: Type) -> dict[str, Any]:
    """Return the JSON schema of a type's values; any value for types that say nothing."""
    if kind.kind in _SIMPLE:
        return {"type": _SIMPLE[kind.kind][0]}
    inner = [schema_of(each) for each in kind.arguments]
    match kind.kind:
        case "literal" if all(isinstance(v, str | int | float | None) for v in kind.values):
            return {"enum": list(kind.values)}
        case "union":
            return {"anyOf": inner}
        case "dict" | "mapping":
            value = inner[1] if len(inner) == 2 else _any_value(1)
            return {"type": "object", "additionalProperties": value}
        case "tuple" if inner and not kind.variadic:
            kinds = [each for at, each in enumerate(inner) if each not in inner[:at]]
            items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
            return {"type": "array", "items": items, "minItems": len(inner), "maxItems": len(inner)}
        case "list" | "set" | "frozenset" | "tuple" | "sequence" | "iterable" | "iterator":
            return {"type": "array", "items": inner[0] if inner else _any_value(1)}
    return _any_value()


def _any_value(depth: int = 3) -> dict[str, Any]:
    """Return the schema of any value that nests no deeper.

    In so many words, as servers make a grammar of it: to some ``{}`` is an empty object.
    """
    forms: list[dict[str, Any]] = [{"type": n} for n in ("null", "boolean", "number", "string")]
    if depth:
        inner = _any_value(depth - 1)
        forms += [
            {"type": "array", "items": inner},
            {"type": "object", "additionalProperties": inner},
        ]
    return {"anyOf": forms}


def read_value(tree: Any, kind: Type, where: str) -> Value:
    """Return the value that a JSON tree stands for; MisfitError if it is not of the type.

    True is not 1, 1.5 not an int; NaN and the infinities are no JSON.
    """
    if kind.kind in _SIMPLE:
        return _read_simple(tree, kind, where)
    match kind.kind:
        case "union":
            # The most exact member counts: 1 is an int where int | float is asked for.
            exact = sorted(kind.arguments, key=lambda each: each.kind == "float")
            for member in exact:
                try:
                    return read_value(tree, member, where)
                except MisfitError:
                    continue
        case "literal":
            if any(type(tree) is type(value) and tree == value for value in kind.values):
                return tree
        case "dict" | "mapping":
            keys, values = kind.arguments if len(kind.arguments) == 2 else (Type("str"), _ANYTHING)
            if isinstance(tree, dict):
                return {
                    _read_key(key, keys, where): read_value(value, values, f"{where}.{key}")
                    for key, value in tree.items()
                }
        case name if name in _ARRAY_KINDS:
            items = _untagged(tree)
            if isinstance(items, list):
                return _read_array(items, kind, where)
        case _:
            return read_value(tree, _ANYTHING, where)
    raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}")


def _read_simple(tree: Any, kind: Type, where: str) -> Value:
    if type(tree) not in _SIMPLE[kind.kind][1]:
        raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}")
    try:
        match kind.kind:
            case "date":
                date.fromisoformat(tree)
            case "datetime":
                datetime.fromisoformat(tree)
            case "bytes":
                return tree.encode()
            case "float":
                tree = float(tree)
                if not math.isfinite(tree):
                    raise ValueError("it is not finite")
    except (ValueError, OverflowError) as error:
        raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}: {error}") from None
    return tree


def _read_key(key: str, kind: Type, where: str) -> Value:
    """Read a key, which JSON writes as a string whatever it is."""
    members = kind.arguments if kind.kind == "union" else (kind,)
    for member in members:
        try:
            match member.kind:
                case "int":
                    return int(key)
                case "float":
                    return float(key)
                case "bool" | "none" if key in _WORDS:
                    return _WORDS[key]
                case _:
                    return read_value(key, member, where)
        except ValueError:
            continue
    raise MisfitError(f"{where}: the key {_shown(key)} is not of type {kind}")


_WORDS = {"true": True, "false": False, "null": None}


def _read_array(tree: list[Any], kind: Type, where: str) -> Value:
    inner: Sequence[Type] = kind.arguments or (_ANYTHING,)
    if kind.kind == "tuple" and kind.arguments and not kind.variadic:
        if len(tree) != len(inner):
            raise MisfitError(f"{where}: {len(tree)} elements, not {len(inner)}")
    else:
        inner = [inner[0]] * len(tree)
    items = [
        read_value(item, each, f"{where}.{at}")
        for at, (item, each) in enumerate(zip(tree, inner, strict=True))
    ]
    try:
        return _ARRAYS.get(kind.kind, list)(items)
    except TypeError:
        raise MisfitError(f"{where}: holds what cannot be in a set") from None


def _untagged(tree: Any) -> Any:
    """Return the list in ``{"$tuple": [...]}``: as earlier cases are shown, models write them."""
    if isinstance(tree, dict) and len(tree) == 1 and tree.keys() <= _TAGS:
        return next(iter(tree.values()))
    return tree


def _shown(tree: Any) -> str:
    text = repr(tree)
    return text if len(text) <= 80 else f"{text[:77]}..."
