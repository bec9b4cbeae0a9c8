"""Members of enumerations that a program declares: by the names of class and member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import NONE, TEXT, Kind, text

_NUMBERS = b"ilgTF"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration; ``value`` is the number or string that it is, if it is one."""

    owner: str
    name: str
    value: int | float | str | None = None

    def __repr__(self) -> str:
        return " | ".join(f"{self.owner}.{name}" for name in self.name.split("|"))


def _pack(value: Any) -> Any:
    kind, name = type(value), value._name_
    plain: Any = None
    if isinstance(value, int):
        plain = int.__add__(value, 0)
    elif isinstance(value, float):
        plain = float.__mul__(value, 1.0)
    elif isinstance(value, str):
        plain = "".join(str.__iter__(value))
    if type(name) is not str:
        return None
    return plain, kind.__qualname__.rpartition("<locals>.")[2], name


def _unpack(parts: Any, find: Any) -> Any:
    import enum
    import functools
    import operator

    plain, owner, name = parts
    found = find(owner)
    if found is None:  # a contract may not declare it: a class that has this member
        base: Any = enum.IntEnum if type(plain) is int else enum.Enum
        known = find.made.get((owner, name)) or base(
            owner, {name: name if plain is None else plain}
        )
        find.made[owner, name] = known
        return next(iter(known))
    return functools.reduce(operator.or_, [found[each] for each in name.split("|")])


def make(value: Any, owner: Any, name: Any) -> EnumMember:
    """Return the member of a class, by their names, and the number or string that it is."""
    if value is not None and type(value) not in (int, float, str, bool):
        raise TypeError("a number, a string or None was expected")
    if not all(part.isidentifier() for part in (*text(owner).split("."), *text(name).split("|"))):
        raise ValueError("names were expected")
    return EnumMember(owner, name, value)


def _written(value: EnumMember) -> Value:
    given = [value.owner, value.name]
    return given if value.value is None else [*given, value.value]


def _read(body: Any) -> EnumMember:
    if type(body) is not list or not 2 <= len(body) <= 3:
        raise TypeError("a list of class and member was expected")
    return make(body[2] if len(body) == 3 else None, body[0], body[1])


KIND = Kind(
    is_declared=True,
    name="enum",
    type=EnumMember,
    inside=("enum.Enum",),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.value, value.owner, value.name),
    make=make,
    forms=(_NUMBERS + TEXT + NONE, TEXT, TEXT),
    is_atom=True,
    key=lambda value: (value.owner, value.name) if value.value is None else value.value,
    base="scalar",
    typed=3,
    written=_written,
    read=_read,
    view=lambda value: value.name,
    examples=(
        EnumMember("Color", "RED"),
        EnumMember("Color", "BLUE"),
        EnumMember("Level", "LOW", 1),
        EnumMember("Mode", "FAST", "fast"),
    ),
)
