"""Named tuples that a program declares: equal to any tuple of the same values, as in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import TEXT, TUPLE, Kind, of_type, text


@dataclass(frozen=True, slots=True)
class NamedTupleValue:
    """A named tuple: its values, the name of its class and those of the fields."""

    values: tuple[Value, ...]
    owner: str
    names: tuple[str, ...]

    def __repr__(self) -> str:
        pairs = zip(self.names, self.values, strict=True)
        return f"{self.owner}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _pack(value: Any) -> Any:
    kind = type(value)
    owner = kind.__qualname__.rpartition("<locals>.")[2]
    return tuple(tuple.__iter__(value)), owner, tuple(kind._fields)


def _unpack(parts: Any, find: Any) -> Any:
    from collections import namedtuple

    values, owner, names = parts
    kind = find(owner)
    if kind is None:  # a contract may not declare it: a class of the same fields
        kind = find.made.get((owner, names)) or namedtuple(owner.rpartition(".")[2], names)
        find.made[owner, names] = kind
    return tuple.__new__(kind, values)


def make(values: Any, owner: Any, names: Any) -> NamedTupleValue:
    """Return the named tuple of a class with these values, one for each name."""
    check_names(owner, names)
    if len(of_type(values, tuple)) != len(names):
        raise ValueError("as many values as names were expected")
    return NamedTupleValue(values, owner, names)


def check_names(owner: Any, names: Any) -> None:
    """Raise ValueError or TypeError unless a class and its fields have names."""
    if not all(part.isidentifier() for part in text(owner).split(".")):
        raise ValueError("the name of a class was expected")
    if len(set(of_type(names, tuple))) != len(names) or len(names) > 1000:
        raise ValueError("names that differ were expected")
    if not all(text(name).isidentifier() for name in names):
        raise ValueError("names of fields were expected")


def read_fields(body: Any) -> tuple[str, dict[str, Value]]:
    """Return class and fields of ``["Point", {"x": 1}]``; TypeError if it is not of this form."""
    if type(body) is not list or len(body) < 2 or type(body[1]) is not dict:
        raise TypeError("a list of a class's name and an object of its fields was expected")
    return body[0], body[1]


def _read(body: Any) -> NamedTupleValue:
    owner, fields = read_fields(body)
    if len(body) > 2:
        raise TypeError("a list of two was expected")
    return make(tuple(fields.values()), owner, tuple(fields))


KIND = Kind(
    is_declared=True,
    name="namedtuple",
    type=NamedTupleValue,
    inside=("namedtuple",),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.values, value.owner, value.names),
    make=make,
    forms=(TUPLE, TEXT, TUPLE),
    base="tuple",
    typed=3,
    written=lambda value: [value.owner, dict(zip(value.names, value.values, strict=True))],
    read=_read,
    view=lambda value: value.values,
    viewed=lambda view, like: make(tuple(view), like.owner, like.names),
    examples=(
        NamedTupleValue((1, 2), "Point", ("x", "y")),
        NamedTupleValue((0, -1), "Point", ("x", "y")),
        NamedTupleValue(("a", [1]), "Row", ("name", "items")),
    ),
)
