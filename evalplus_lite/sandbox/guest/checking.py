"""Calls of a contract's ``check`` inside the sandbox, which receives values, never names.

Like ``child`` this file is sent as *text*, into the same namespace, and imports only the standard
library. A program chooses the class names and fields in its answers, so they must not reach
anything in the contract's module but a class that is declared there for such values.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.values.encoding import MARK, UNPACKS

MODULES = ("program", "types")  # make_dataclass names the latter before Python 3.12
MEMBERS: Any = type.__dict__["__dict__"]
OWNED = ("enum", "dataclass", "namedtuple")


class Opaque:
    """A value of a class that is unknown to the check, equal to nothing."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return False


class Unknown(Exception):
    """No suitable class exists for a value."""


class Checking:
    """Calls ``check`` on a case's inputs, a program's answer and the expected one.

    ``classes`` are the names of classes that the reference declares.
    """

    def __init__(
        self, check: Callable[..., Any], names: Mapping[str, Any], classes: Collection[str]
    ) -> None:
        self.check, self.names, self.classes = check, names, frozenset(classes)
        self.made: dict[Any, Any] = {}

    def __call__(self, inputs: Any, output: Any, expected: Any) -> Any:
        """Return the check's result for an answer."""
        known = self.classes.union(owners(inputs), owners(expected))
        return self.check(*[self.restored(each, known) for each in (inputs, output, expected)])

    def restored(self, value: Any, known: frozenset[str]) -> Any:
        """Return a value with extended values built."""
        kind = type(value)
        if kind is tuple and value and value[0] is MARK:
            name, parts = value[1], [self.restored(part, known) for part in value[2:]]
            if name not in OWNED:
                return UNPACKS[name](parts, self.names.get)
            try:
                return self.of_class(name, parts, known)
            except (Unknown, TypeError, ValueError, AttributeError):
                return Opaque()
        if kind is dict:
            return {
                self.restored(key, known): self.restored(item, known) for key, item in value.items()
            }
        if kind is list or kind is tuple or kind is set or kind is frozenset:
            return kind([self.restored(item, known) for item in value])
        return value

    def of_class(self, kind: str, parts: Sequence[Any], known: frozenset[str]) -> Any:
        """Return an object of the contract's class with that name, or of a newly created class."""
        owner: str = parts[1]
        if owner not in known or any(part.startswith("__") for part in owner.split(".")):
            raise Unknown
        owned = self.declared(owner)
        if kind == "enum":
            return self.member(owned, *parts)
        if kind == "namedtuple":
            return self.named_tuple(owned, *parts)
        return self.record(owned, *parts)

    def declared(self, owner: str) -> Any:
        """Return the class that the contract's module declares under a name; None if none."""
        space, candidate = self.names, None
        for part in owner.split("."):
            candidate = space.get(part)
            if not issubclass(type(candidate), type):
                return None
            space = MEMBERS.__get__(candidate)
        return candidate if getattr(candidate, "__module__", None) in MODULES else None

    def member(self, owned: Any, plain: Any, owner: str, name: str) -> Any:
        """Return the member of a real enumeration, if its number or string matches."""
        if owned is None:
            key = owner, name, type(plain), plain
            if name.startswith("__"):
                raise Unknown
            if key not in self.made:
                like: Any = enum.IntEnum if type(plain) is int else enum.Enum
                made = like(owner, {name: name if plain is None else plain})
                self.made[key] = next(iter(made))
            return self.made[key]
        if not issubclass(owned, enum.Enum):
            raise Unknown
        members = [MEMBERS.__get__(owned)["_member_map_"].get(each) for each in name.split("|")]
        if None in members or (len(members) > 1 and not issubclass(owned, enum.Flag)):
            raise Unknown
        member = functools.reduce(operator.or_, members)
        base: Any
        for base in (int, float, str):
            if issubclass(owned, base):
                same: Any = base.__eq__  # the base type's own method, never an override
                if type(plain) is not base or not same(member, plain):
                    raise Unknown
                return member
        if plain is not None:
            raise Unknown
        return member

    def named_tuple(self, owned: Any, values: Any, owner: str, names: tuple[str, ...]) -> Any:
        """Return a named tuple with exactly these fields."""
        if owned is None:
            key = owner, names
            if key not in self.made:
                self.made[key] = namedtuple(owner.rpartition(".")[2], names)
            owned = self.made[key]
        if not issubclass(owned, tuple) or owned._fields != names:
            raise Unknown
        return tuple.__new__(owned, values)

    def record(
        self, owned: Any, values: Any, owner: str, names: tuple[str, ...], others: Any
    ) -> Any:
        """Return an object of a dataclass with exactly these fields; call no method of it."""
        import dataclasses  # slow to import, and seldom needed

        given = {**dict(zip(names, values)), **dict(others)}  # noqa: B905 - as many, where made
        compared = {name: name in names for name in given}
        if owned is None:
            key = owner, tuple(compared.items())
            if any(name.startswith("__") for name in given):
                raise Unknown
            if key not in self.made:
                fields = [(n, Any, dataclasses.field(compare=compared[n])) for n in given]
                self.made[key] = dataclasses.make_dataclass(owner.rpartition(".")[2], fields)
            owned = self.made[key]
        if {each.name: each.compare for each in dataclasses.fields(owned)} != compared:
            raise Unknown
        made = object.__new__(owned)
        for name, value in given.items():
            object.__setattr__(made, name, value)
        return made


def owners(value: Any) -> Iterator[str]:
    """Yield the class names of a trusted value's parts."""
    kind = type(value)
    if kind is tuple and value and value[0] is MARK and value[1] in OWNED:
        yield value[3]
    if kind is dict:
        value = [*value, *value.values()]
    elif kind is not list and kind is not tuple and kind is not set and kind is not frozenset:
        return
    for item in value:
        yield from owners(item)
