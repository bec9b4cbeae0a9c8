"""JSON schemas of types: the form of an answer that a server is asked to keep to."""

from __future__ import annotations

from typing import Any

from evalplus_lite.generate.domains.annotations import Type

_SIMPLE: dict[str, tuple[str, tuple[type, ...]]] = {
    "none": ("null", (type(None),)), "bool": ("boolean", (bool,)), "int": ("integer", (int,)),
    "float": ("number", (float, int)), "str": ("string", (str,)), "bytes": ("string", (str,)),
    "date": ("string", (str,)), "datetime": ("string", (str,)),
}  # fmt: skip
_ARRAYS = frozenset("tuple set frozenset list sequence iterable iterator collection".split())


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
            value = inner[1] if len(inner) == 2 else any_value(1)
            return {"type": "object", "additionalProperties": value}
        case "tuple" if inner and not kind.variadic:
            kinds = [each for at, each in enumerate(inner) if each not in inner[:at]]
            items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
            return {"type": "array", "items": items, "minItems": len(inner), "maxItems": len(inner)}
        case "list" | "set" | "frozenset" | "tuple" | "sequence" | "iterable" | "iterator":
            return {"type": "array", "items": inner[0] if inner else any_value(1)}
    return any_value()


def any_value(depth: int = 3) -> dict[str, Any]:
    """Return the schema of any value that nests no deeper.

    In so many words, as servers make a grammar of it: to some ``{}`` is an empty object.
    """
    forms: list[dict[str, Any]] = [{"type": n} for n in ("null", "boolean", "number", "string")]
    if depth:
        inner = any_value(depth - 1)
        forms += [
            {"type": "array", "items": inner},
            {"type": "object", "additionalProperties": inner},
        ]
    return {"anyOf": forms}


def is_of(tree: Any, kind: Type) -> bool:
    """Return whether JSON holds a value of a type: true is not 1, and 1.5 is no int."""
    if kind.kind in _SIMPLE:
        return type(tree) in _SIMPLE[kind.kind][1]
    parts = kind.arguments
    match kind.kind:
        case "union":
            return any(is_of(tree, each) for each in parts)
        case "literal":
            return any(type(tree) is type(value) and tree == value for value in kind.values)
        case "dict" | "mapping":
            if not isinstance(tree, dict) or len(parts) != 2:
                return isinstance(tree, dict)
            return all(is_of(each, parts[1]) for each in tree.values())
        case "tuple" if parts and not kind.variadic:
            is_whole = isinstance(tree, list) and len(tree) == len(parts)
            return is_whole and all(is_of(*pair) for pair in zip(tree, parts, strict=True))
        case name if name in _ARRAYS:
            return isinstance(tree, list) and (
                not parts or all(is_of(each, parts[0]) for each in tree)
            )
    return True
