"""Profiles: the examples' values at one slot of the inputs, and their observed properties."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import BY_TYPE

About = TypeVar("About")


@dataclass(frozen=True, slots=True)
class View(Generic[About]):
    """Information about the views of one extended type's values at a slot.

    ``like`` is an example value: new values copy from it what a view does not represent.
    """

    kind: type
    like: Value
    about: About


def made(view: Value, like: Value) -> Value:
    """Return the value of ``like``'s type that a view represents; ``like`` if there is none."""
    return next(all_made([view], like), like)


def all_made(views: Iterator[Value] | list[Value], like: Value) -> Iterator[Value]:
    """Yield the values of ``like``'s type that views represent; invalid views are skipped."""
    viewed = BY_TYPE[type(like)].viewed
    for view in views if viewed else ():
        try:
            # A mutated view may be invalid: the 30th of February, an exponent out of range.
            yield viewed(view, like)  # type: ignore[misc] # it is not None
        except (TypeError, ValueError, ArithmeticError, IndexError):
            continue


SEQUENCES: tuple[type, ...] = (list, tuple)
CONTAINERS: tuple[type, ...] = (list, tuple, set, frozenset)
SIZED: tuple[type, ...] = (str, bytes, *CONTAINERS, dict)

FIXED_AFTER = 5
"""A size that is the same for this many values counts as fixed."""


class NumberRange(NamedTuple):
    """The range of finite ints and floats at a slot (without bools)."""

    lowest: float
    highest: float


class SizeRange(NamedTuple):
    """The lengths of the strings and containers at a slot.

    ``is_fixed``: all have one length, and there are enough to conclude that it is fixed.
    """

    smallest: int
    largest: int
    is_fixed: bool


class Profile:
    """The examples' values at one slot of the inputs, grouped by example, and their properties.

    ``name`` and ``place`` identify the slot. Support counts examples rather than elements, so
    groups are kept down to the elements of containers. A profile without values is false.
    """

    def __init__(self, groups: Iterable[Sequence[Value]], name: str = "", place: str = "") -> None:
        self.groups = [group for group in groups if group]
        self.name, self.place = name, place
        self.every = [value for group in self.groups for value in group]
        # Sort by name, because the order of a set of types differs between runs.
        kinds = sorted({type(value) for value in self.every}, key=lambda kind: kind.__name__)
        self.kinds: tuple[type, ...] = tuple(kinds)
        """The exact types of the values, sorted by name."""
        self.is_view = False
        """Whether the values are views. Views of one type that are tuples are records by design
        (year, month and day), so no evidence has to be weighed."""

    def __bool__(self) -> bool:
        return bool(self.every)

    @classmethod
    def of(cls, values: Iterable[Value]) -> Profile:
        """Return the profile of the values of one example."""
        return cls([list(values)])

    @classmethod
    def of_argument(cls, examples: Sequence[Sequence[Value]], position: int) -> Profile:
        """Return the profile of an argument; optional ones are profiled where present."""
        groups = [each[position : position + 1] for each in examples]
        return cls(groups, str(position), f"argument {position}")

    def support(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct examples with an informative value."""
        # Examples that are equal here count once, however they differ elsewhere.
        return len({key(list(each)) for each in self.groups if any(map(informs, each))})

    def distinct(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct informative values in all examples together."""
        return len({key(value) for value in self.every if informs(value)})

    def field(self, position: int) -> Profile:
        """Return the profile of one field of records."""
        return self._inner(
            str(position),
            f"field {position} of",
            lambda value: value[position : position + 1] if type(value) in SEQUENCES else (),
        )

    def entry(self, name: str) -> Profile:
        """Return the profile of the values of one key of dicts."""
        return self._inner(
            f"[{name}]",
            f"field {name} of",
            lambda value: (value[name],) if type(value) is dict else (),
        )

    @cached_property
    def items(self) -> Profile:
        """The elements of all lists, tuples, sets and frozensets together, in a fixed order."""
        return self._inner(
            "items", "the elements of", lambda v: elements_of(v) if type(v) in CONTAINERS else ()
        )

    @cached_property
    def keys(self) -> Profile:
        """The keys of dicts."""
        return self._inner("keys", "the keys of", lambda v: v if type(v) is dict else ())

    @cached_property
    def values(self) -> Profile:
        """The values of dicts."""
        return self._inner(
            "values", "the values of", lambda v: v.values() if type(v) is dict else ()
        )

    @cached_property
    def views(self) -> tuple[View[Profile], ...]:
        """For each extended type, the profile of its values' views."""
        return tuple(map(self._view, (BY_TYPE[kind] for kind in self.kinds if kind in BY_TYPE)))

    def _view(self, kind: Kind) -> View[Profile]:
        inner = self._inner(
            kind.name,
            f"the {kind.name} of",
            lambda value: (kind.view(value),) if type(value) is kind.type else (),
        )
        inner.is_view = True
        like = next(value for value in self.every if type(value) is kind.type)
        return View(kind.type, like, inner)

    @cached_property
    def numbers(self) -> NumberRange | None:
        """The range of finite numbers."""
        finite = [
            v for v in self.every if type(v) is int or (type(v) is float and math.isfinite(v))
        ]
        return NumberRange(min(finite), max(finite)) if finite else None

    @cached_property
    def has_special(self) -> bool:
        """Whether NaN or an infinity occurs."""
        return any(type(each) is float and not math.isfinite(each) for each in self.every)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct strings in order of appearance."""
        return tuple(dict.fromkeys(value for value in self.every if type(value) is str))

    @cached_property
    def characters(self) -> dict[str, int]:
        """The occurrences of each character in strings, in character order."""
        strings = (value for value in self.every if type(value) is str)
        return dict(sorted(Counter(chain.from_iterable(strings)).items()))

    @cached_property
    def sizes(self) -> SizeRange | None:
        """The lengths of strings and containers."""
        lengths = [len(value) for value in self.every if type(value) in SIZED]
        if not lengths:
            return None
        smallest, largest = min(lengths), max(lengths)
        # That all are empty is no evidence of a fixed length.
        is_fixed = smallest == largest > 0 and len(lengths) >= FIXED_AFTER
        return SizeRange(smallest, largest, is_fixed)

    @cached_property
    def positions(self) -> tuple[Profile, ...] | None:
        """A profile for each position, if lists of one length differ in type by position.

        Two tuples are enough if each field always has the same type.
        """
        containers = [value for value in self.every if type(value) in CONTAINERS]
        kinds = {type(container) for container in containers}
        if len({*map(len, containers)}) != 1 or not kinds <= {*SEQUENCES}:
            return None
        columns = [set(map(type, column)) for column in zip(*containers, strict=True)]
        # Two tuples with the same types at the same positions are a record. Lists need more
        # examples. The types must differ between positions in both cases.
        is_record = kinds == {tuple} and all(len(each) == 1 for each in columns)
        is_enough = len(containers) >= (2 if is_record else FIXED_AFTER)
        is_record = is_enough and any(each != columns[0] for each in columns)
        if not is_record and not (self.is_view and self.kinds == (tuple,)):
            return None
        return tuple(map(self.field, range(len(columns))))

    @cached_property
    def is_uniform(self) -> bool:
        """Whether every single container has elements of only one type."""
        dicts = [value for value in self.every if type(value) is dict]
        containers = [value for value in self.every if type(value) in (*CONTAINERS, dict)]
        parts = [*containers, *(each.values() for each in dicts)]
        return all(len(set(map(type, part))) < 2 for part in parts)

    @cached_property
    def is_rectangular(self) -> bool:
        """Whether all rows of each container have one length, and some container has several."""
        # Records of one length are not a table: their positions have different types.
        if not self.items or self.items.positions:
            return False
        tables = self._tables
        # A table with one row cannot have rows of different lengths, so it is no evidence.
        return (
            all(type(row) in SEQUENCES for rows in tables for row in rows)
            and any(len(rows) > 1 for rows in tables)
            and all(len({*map(len, rows)}) < 2 for rows in tables)
        )

    @cached_property
    def is_square(self) -> bool:
        """Whether, in addition, each container has as many rows as columns."""
        return self.is_rectangular and all(
            len(rows) == len(rows[0]) for rows in self._tables if rows
        )

    @property
    def _tables(self) -> list[Sequence[Value]]:
        return [elements_of(value) for value in self.every if type(value) in CONTAINERS]

    def _inner(self, step: str, place: str, part: Callable[[Value], Iterable[Value]]) -> Profile:
        # Keep the groups: the elements of one example are one piece of evidence.
        groups = [[inner for value in group for inner in part(value)] for group in self.groups]
        return Profile(groups, f"{self.name}.{step}", f"{place} {self.place}")


NOTHING = Profile(())
"""The profile of a slot for which there is no value."""


def elements_of(container: Collection[Value]) -> Sequence[Value]:
    """Return a container's elements in an order that does not depend on the hash seed."""
    if type(container) in (set, frozenset):
        return sorted(container, key=order)
    return container  # type: ignore[return-value] # a list or tuple already


def hashable(values: Iterable[Value]) -> list[Value]:
    """Return the values that are hashable."""
    accepted = []
    for value in values:
        try:
            hash(value)
        except TypeError:
            continue
        accepted.append(value)
    return accepted


def order(value: Value) -> tuple[str, Any]:
    """Return a sort key for plain values of mixed types: by type name, then value or repr."""
    kind = type(value)
    # By type name first, because values of different types cannot be compared.
    if kind is int or kind is str or kind is bytes or kind is bool:
        return kind.__name__, value
    if kind is tuple:
        return kind.__name__, tuple(map(order, value))
    if kind is frozenset:
        return kind.__name__, sorted(map(order, value))
    return kind.__name__, repr(value)
