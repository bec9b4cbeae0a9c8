"""Dataclasses that a program declares: by the name of the class, and what its fields hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import TEXT, TUPLE, Kind, of_type
from evalplus_lite.values.kinds.namedtuple import check_names, read_fields


@dataclass(frozen=True, slots=True)
class DataclassValue:
    """An object of a dataclass: values of the fields, its class, their names, other fields.

    ``others`` are fields that the class leaves out of comparison.
    """

    values: tuple[Value, ...]
    owner: str
    names: tuple[str, ...]
    others: dict[str, Value] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        pairs = [*zip(self.names, self.values, strict=True), *self.others.items()]
        return f"{self.owner}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _pack(value: Any) -> Any:
    kind, names, others = type(value), [], []
    for each in kind.__dataclass_fields__.values():
        if each._field_type.name != "_FIELD":  # of the class, or for its constructor only
            continue
        if each.compare:
            names.append(each.name)
        else:
            others.append((each.name, getattr(value, each.name)))
    owner = kind.__qualname__.rpartition("<locals>.")[2]
    return tuple([getattr(value, name) for name in names]), owner, tuple(names), tuple(others)


def _unpack(parts: Any, find: Any) -> Any:
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


def make(values: Any, owner: Any, names: Any, others: Any) -> DataclassValue:
    """Return the object of a class with these values, one for each name."""
    check_names(owner, names)
    if not all(type(pair) is tuple and len(pair) == 2 for pair in of_type(others, tuple)):
        raise TypeError("names and values of other fields were expected")
    check_names(owner, (*names, *(name for name, _ in others)))
    if len(of_type(values, tuple)) != len(names):
        raise ValueError("as many values as names were expected")
    return DataclassValue(values, owner, names, dict(others))


def _written(value: DataclassValue) -> Value:
    body = [value.owner, dict(zip(value.names, value.values, strict=True))]
    return [*body, value.others] if value.others else body


def _read(body: Any) -> DataclassValue:
    owner, fields = read_fields(body)
    if len(body) > 3:
        raise TypeError("a list of two, or of three, was expected")
    others = of_type(body[2], dict) if len(body) == 3 else {}
    return make(tuple(fields.values()), owner, tuple(fields), tuple(others.items()))


KIND = Kind(
    is_declared=True,
    name="dataclass",
    type=DataclassValue,
    inside=("dataclass",),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.values, value.owner, value.names, tuple(value.others.items())),
    make=make,
    forms=(TUPLE, TEXT, TUPLE, TUPLE),
    compared=3,
    typed=3,
    written=_written,
    read=_read,
    view=lambda value: value.values,
    viewed=lambda view, like: make(tuple(view), like.owner, like.names, tuple(like.others.items())),
    examples=(
        DataclassValue((1, "a"), "Item", ("price", "name")),
        DataclassValue((2, ""), "Item", ("price", "name"), {"note": None}),
        DataclassValue((), "Empty", ()),
    ),
)
