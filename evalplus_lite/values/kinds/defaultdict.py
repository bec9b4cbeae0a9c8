"""collections.defaultdict: equal to dicts; what it makes of missing keys counts for nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import DICT, NONE, TEXT, Kind, of_type

FACTORIES = ("bool", "dict", "float", "int", "list", "set", "str", "tuple")


@dataclass(frozen=True, slots=True)
class DefaultDict:
    """A defaultdict: its items, and the name of the builtin type that makes missing values."""

    items: dict[Value, Value]
    factory: str | None = None

    def __repr__(self) -> str:
        return f"defaultdict({self.factory}, {self.items!r})"


def _pack(value: Any) -> Any:
    import builtins

    name = getattr(value.default_factory, "__name__", "")
    known = ("bool", "dict", "float", "int", "list", "set", "str", "tuple")
    is_known = name in known and getattr(builtins, name) is value.default_factory
    return dict(dict.items(value)), name if is_known else None


def _unpack(parts: Any, find: Any) -> Any:
    import builtins
    from collections import defaultdict

    return defaultdict(parts[1] and getattr(builtins, parts[1]), parts[0])


def make(items: Any, factory: Any) -> DefaultDict:
    """Return the defaultdict of a dict and the name of a builtin type, or None."""
    if factory is not None and factory not in FACTORIES:
        raise ValueError(f"a factory is one of {', '.join(FACTORIES)}")
    return DefaultDict(of_type(items, dict), factory)


KIND = Kind(
    name="defaultdict",
    type=DefaultDict,
    inside=("collections.defaultdict",),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.items, value.factory),
    arguments=lambda value, write: f"{value.factory}, {write(value.items)}",
    make=make,
    forms=(DICT, TEXT + NONE),
    base="dict",
    is_hashable=False,
    annotations=("defaultdict", "DefaultDict"),
    call="collections.defaultdict",
    view=lambda value: value.items,
    viewed=lambda view, like: DefaultDict(view, like.factory),
    examples=(DefaultDict({"a": [1]}, "list"), DefaultDict({}, "int"), DefaultDict({1: 2})),
)
