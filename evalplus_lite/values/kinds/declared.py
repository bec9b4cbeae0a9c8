"""Named tuples, dataclasses and enum members of classes that a program declares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import NONE, TEXT, TUPLE, Kind, of_type, text


@dataclass(frozen=True, slots=True)
class NamedTupleValue:
    """A named tuple: its values, and the names of its class and fields."""

    values: tuple[Value, ...]
    owner: str
    names: tuple[str, ...]

    def __repr__(self) -> str:
        pairs = zip(self.names, self.values, strict=True)
        return f"{self.owner}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _pack_namedtuple(value: Any) -> Any:
    kind = type(value)
    owner = kind.__qualname__.rpartition("<locals>.")[2]
    return tuple(tuple.__iter__(value)), owner, tuple(kind._fields)


def _unpack_namedtuple(parts: Any, find: Any) -> Any:
    from collections import namedtuple

    values, owner, names = parts
    kind = find(owner)
    if kind is None:  # a contract may not declare it: a class of the same fields
        kind = find.made.get((owner, names)) or namedtuple(owner.rpartition(".")[2], names)
        find.made[owner, names] = kind
    return tuple.__new__(kind, values)


def make_namedtuple(values: Any, owner: Any, names: Any) -> NamedTupleValue:
    """Return a named tuple of a class, with a value for each name."""
    check_names(owner, names)
    if len(of_type(values, tuple)) != len(names):
        raise ValueError("as many values as names were expected")
    return NamedTupleValue(values, owner, names)


def check_names(owner: Any, names: Any) -> None:
    """Raise ValueError or TypeError unless the names of a class and its fields are valid."""
    if not all(part.isidentifier() for part in text(owner).split(".")):
        raise ValueError("the name of a class was expected")
    if len(set(of_type(names, tuple))) != len(names) or len(names) > 1000:
        raise ValueError("names that differ were expected")
    if not all(text(name).isidentifier() for name in names):
        raise ValueError("names of fields were expected")


def read_fields(body: Any) -> tuple[str, dict[str, Value]]:
    """Parse ``["Point", {"x": 1}]`` to class and fields; raise TypeError for any other form."""
    if type(body) is not list or len(body) < 2 or type(body[1]) is not dict:
        raise TypeError("a list of a class's name and an object of its fields was expected")
    return body[0], body[1]


def _read_namedtuple(body: Any) -> NamedTupleValue:
    owner, fields = read_fields(body)
    if len(body) > 2:
        raise TypeError("a list of two was expected")
    return make_namedtuple(tuple(fields.values()), owner, tuple(fields))


NAMEDTUPLE = Kind(
    is_declared=True,
    name="namedtuple",
    type=NamedTupleValue,
    inside=("namedtuple",),
    pack=_pack_namedtuple,
    unpack=_unpack_namedtuple,
    parts=lambda value: (value.values, value.owner, value.names),
    make=make_namedtuple,
    forms=(TUPLE, TEXT, TUPLE),
    base="tuple",
    typed=3,
    written=lambda value: [value.owner, dict(zip(value.names, value.values, strict=True))],
    read=_read_namedtuple,
    view=lambda value: value.values,
    viewed=lambda view, like: make_namedtuple(tuple(view), like.owner, like.names),
    examples=(
        NamedTupleValue((1, 2), "Point", ("x", "y")),
        NamedTupleValue((0, -1), "Point", ("x", "y")),
        NamedTupleValue(("a", [1]), "Row", ("name", "items")),
    ),
)


@dataclass(frozen=True, slots=True)
class DataclassValue:
    """A dataclass object: its fields' values, its class, the fields' names, and other fields.

    ``others`` are fields that the class excludes from comparison.
    """

    values: tuple[Value, ...]
    owner: str
    names: tuple[str, ...]
    others: dict[str, Value] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        pairs = [*zip(self.names, self.values, strict=True), *self.others.items()]
        return f"{self.owner}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _pack_dataclass(value: Any) -> Any:
    kind, names, others = type(value), [], []
    for each in kind.__dataclass_fields__.values():
        if each._field_type.name != "_FIELD":  # a class variable, or only for the constructor
            continue
        if each.compare:
            names.append(each.name)
        else:
            others.append((each.name, getattr(value, each.name)))
    owner = kind.__qualname__.rpartition("<locals>.")[2]
    return tuple([getattr(value, name) for name in names]), owner, tuple(names), tuple(others)


def _unpack_dataclass(parts: Any, find: Any) -> Any:
    import dataclasses

    values, owner, names, others = parts
    kind = find(owner)
    if kind is None:  # a contract may not declare it: a class of the same fields
        names = (*names, *[name for name, _ in others])
        kind = find.made.get((owner, names))
        kind = kind or dataclasses.make_dataclass(owner.rpartition(".")[2], names)
        find.made[owner, names] = kind
    given = {**dict(zip(names, values)), **dict(others)}  # noqa: B905 - as many, where it was made
    declared = {each.name: each for each in dataclasses.fields(kind)}
    late = {
        name: given.pop(name) for name in [*given] if name in declared and not declared[name].init
    }
    made = kind(**given)
    for name in late:
        object.__setattr__(made, name, late[name])
    return made


def make_dataclass(values: Any, owner: Any, names: Any, others: Any) -> DataclassValue:
    """Return a dataclass object of a class, with a value for each name."""
    check_names(owner, names)
    if not all(type(pair) is tuple and len(pair) == 2 for pair in of_type(others, tuple)):
        raise TypeError("names and values of other fields were expected")
    check_names(owner, (*names, *(name for name, _ in others)))
    if len(of_type(values, tuple)) != len(names):
        raise ValueError("as many values as names were expected")
    return DataclassValue(values, owner, names, dict(others))


def _written_dataclass(value: DataclassValue) -> Value:
    body = [value.owner, dict(zip(value.names, value.values, strict=True))]
    return [*body, value.others] if value.others else body


def _read_dataclass(body: Any) -> DataclassValue:
    owner, fields = read_fields(body)
    if len(body) > 3:
        raise TypeError("a list of two, or of three, was expected")
    others = of_type(body[2], dict) if len(body) == 3 else {}
    return make_dataclass(tuple(fields.values()), owner, tuple(fields), tuple(others.items()))


DATACLASS = Kind(
    is_declared=True,
    name="dataclass",
    type=DataclassValue,
    inside=("dataclass",),
    pack=_pack_dataclass,
    unpack=_unpack_dataclass,
    parts=lambda value: (value.values, value.owner, value.names, tuple(value.others.items())),
    make=make_dataclass,
    forms=(TUPLE, TEXT, TUPLE, TUPLE),
    compared=3,
    typed=3,
    written=_written_dataclass,
    read=_read_dataclass,
    view=lambda value: value.values,
    viewed=lambda view, like: make_dataclass(
        tuple(view), like.owner, like.names, tuple(like.others.items())
    ),
    examples=(
        DataclassValue((1, "a"), "Item", ("price", "name")),
        DataclassValue((2, ""), "Item", ("price", "name"), {"note": None}),
        DataclassValue((), "Empty", ()),
    ),
)


_NUMBERS = b"ilgTF"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """An enum member; ``value`` is its number or string if its class is an int or str enum."""

    owner: str
    name: str
    value: int | float | str | None = None

    def __repr__(self) -> str:
        return " | ".join(f"{self.owner}.{name}" for name in self.name.split("|"))


def _pack_enum(value: Any) -> Any:
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


def _unpack_enum(parts: Any, find: Any) -> Any:
    import enum
    import functools
    import operator

    plain, owner, name = parts
    owned = find(owner)
    if owned is None:  # a contract may not declare it: create a class with this member
        base: Any = enum.IntEnum if type(plain) is int else enum.Enum
        known = find.made.get((owner, name)) or base(
            owner, {name: name if plain is None else plain}
        )
        find.made[owner, name] = known
        return next(iter(known))
    return functools.reduce(operator.or_, [owned[each] for each in name.split("|")])


def make_enum(value: Any, owner: Any, name: Any) -> EnumMember:
    """Return an enum member by the names of class and member, and its number or string."""
    if value is not None and type(value) not in (int, float, str, bool):
        raise TypeError("a number, a string or None was expected")
    if not all(part.isidentifier() for part in (*text(owner).split("."), *text(name).split("|"))):
        raise ValueError("names were expected")
    return EnumMember(owner, name, value)


def _written_enum(value: EnumMember) -> Value:
    given = [value.owner, value.name]
    return given if value.value is None else [*given, value.value]


def _read_enum(body: Any) -> EnumMember:
    if type(body) is not list or not 2 <= len(body) <= 3:
        raise TypeError("a list of class and member was expected")
    return make_enum(body[2] if len(body) == 3 else None, body[0], body[1])


ENUM = Kind(
    is_declared=True,
    name="enum",
    type=EnumMember,
    inside=("enum.Enum",),
    pack=_pack_enum,
    unpack=_unpack_enum,
    parts=lambda value: (value.value, value.owner, value.name),
    make=make_enum,
    forms=(_NUMBERS + TEXT + NONE, TEXT, TEXT),
    is_atom=True,
    key=lambda value: (value.owner, value.name) if value.value is None else value.value,
    base="scalar",
    typed=3,
    written=_written_enum,
    read=_read_enum,
    view=lambda value: value.name,
    examples=(
        EnumMember("Color", "RED"),
        EnumMember("Color", "BLUE"),
        EnumMember("Level", "LOW", 1),
        EnumMember("Mode", "FAST", "fast"),
    ),
)
