"""What is drawn for a type: the Python type that stands for it, and values of any type."""

from __future__ import annotations

from dataclasses import replace

from evalplus_lite.generate.domains.annotations import Type

STANDING: dict[str, type] = {
    "none": type(None), "int": int, "float": float, "bool": bool, "str": str, "bytes": bytes,
    "date": str, "datetime": str, "dict": dict, "mapping": dict, "tuple": tuple, "set": set,
    "frozenset": frozenset,
}  # fmt: skip
"""What stands for a type; for all others (sequences, iterables) a list."""
ITEM = Type("union", (Type("int"), Type("str")))
SCALAR = Type("union", (Type("none"), Type("bool"), Type("int"), Type("float"), Type("str")))
ANYTHING = Type(
    "union",
    (*SCALAR.arguments, Type("list", (ITEM,)), Type("dict", (Type("str"), ITEM))),
)


def hashable(kind: Type) -> Type:
    """Return the part of a type that a set may hold; plain scalars where there is none."""
    if kind.kind in ("any", "object"):
        return SCALAR
    if kind.kind == "union":
        return replace(kind, arguments=tuple(dict.fromkeys(map(hashable, kind.arguments))))
    if STANDING.get(kind.kind, list) is tuple:
        return replace(kind, arguments=tuple(map(hashable, kind.arguments)))
    is_held = kind.kind in ("literal", "date", "datetime") or kind.kind in STANDING
    return kind if is_held and STANDING.get(kind.kind) not in (dict, set) else SCALAR
