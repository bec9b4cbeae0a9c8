"""Profiles: observed properties of one slot of the inputs, down to the elements of containers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE

# Views: the plain values that represent those of extended types.

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


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The range of finite ints and floats at a slot (without bools)."""

    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class TextProfile:
    """The strings at a slot: character counts, and distinct values."""

    counts: dict[str, int]
    """Character to occurrences, in character order."""
    values: tuple[str, ...]
    """Distinct strings in order of appearance."""


@dataclass(frozen=True, slots=True)
class SizeRange:
    """The lengths of the strings and containers at a slot."""

    smallest: int
    largest: int
    is_fixed: bool
    """Whether all have one length, and there are enough to conclude that it is fixed."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The properties of the values at one slot, as computed by ``Profile.of(values)``."""

    kinds: tuple[type, ...]
    """The exact types of the values, sorted by name."""
    numbers: NumberRange | None = None
    text: TextProfile | None = None
    sizes: SizeRange | None = None
    items: Profile | None = None
    """The elements of all lists, tuples, sets and frozensets together."""
    positions: tuple[Profile, ...] | None = None
    """A profile for each position, if the size is fixed and positions have different types."""
    keys: Profile | None = None
    values: Profile | None = None
    has_special: bool = False
    """Whether NaN or an infinity occurs."""
    is_uniform: bool = True
    """Whether every single container has elements of only one type."""
    is_rectangular: bool = False
    """Whether all rows of each container have one length, and some container has several rows."""
    views: tuple[View[Profile], ...] = ()
    """For each extended type, the profile of its values' views."""
    is_square: bool = False
    """Whether, in addition, each container has as many rows as columns."""

    @classmethod
    def of(cls, values: Iterable[Value]) -> Profile:
        """Return the profile of the values; the elements of sets are read in a fixed order."""
        values = list(values)
        # Sort by name, because the order of a set of types differs between runs.
        kinds = sorted({type(value) for value in values}, key=lambda kind: kind.__name__)
        containers = [value for value in values if type(value) in CONTAINERS]
        dicts = [value for value in values if type(value) is dict]
        sizes = _sizes([value for value in values if type(value) in SIZED])
        # All elements together, not by container, because they share one domain.
        elements = [element for container in containers for element in elements_of(container)]
        rows = [elements_of(container) for container in containers]
        items = cls.of(elements) if elements else None
        # Records of one length are not a table: their positions have different types.
        is_rectangular = items is not None and not items.positions and _is_rectangular(rows)
        return cls(
            kinds=tuple(kinds),
            numbers=_numbers(values),
            text=_text([value for value in values if type(value) is str]),
            sizes=sizes,
            items=items,
            positions=_positions(cls.of, containers),
            # If all dicts are empty, nothing is known about keys, and they have no profile.
            keys=cls.of(key for value in dicts for key in value) if any(dicts) else None,
            values=cls.of(v for value in dicts for v in value.values()) if any(dicts) else None,
            has_special=any(type(each) is float and not math.isfinite(each) for each in values),
            is_uniform=_are_uniform(containers)
            and _are_uniform(dicts)
            and _are_uniform([list(value.values()) for value in dicts]),
            is_rectangular=is_rectangular,
            is_square=is_rectangular and _is_square(rows),
            views=tuple(
                View(kind, seen[0], cls._of_views([BY_TYPE[kind].view(each) for each in seen]))
                for kind in kinds
                if kind in BY_TYPE
                for seen in [[value for value in values if type(value) is kind]]
            ),
        )

    @classmethod
    def _of_views(cls, views: Sequence[Value]) -> Profile:
        """Return the profile of the views of one type; tuples of one length are records."""
        # Views are records by design (year, month and day), so no evidence has to be weighed.
        if {*map(type, views)} != {tuple} or len({*map(len, views)}) != 1:
            return cls.of(views)
        size = len(views[0])
        fields = tuple(cls.of(column) for column in zip(*views, strict=True))
        return cls((tuple,), sizes=SizeRange(size, size, is_fixed=True), positions=fields)


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


def _are_uniform(containers: Iterable[Iterable[Value]]) -> bool:
    return all(len(set(map(type, container))) < 2 for container in containers)


def _numbers(values: Sequence[Value]) -> NumberRange | None:
    finite = [
        value
        for value in values
        if type(value) is int or (type(value) is float and math.isfinite(value))
    ]
    if not finite:
        return None
    return NumberRange(min(finite), max(finite))


def _text(values: Sequence[str]) -> TextProfile | None:
    if not values:
        return None
    counts = Counter(character for value in values for character in value)
    return TextProfile(dict(sorted(counts.items())), tuple(dict.fromkeys(values)))


def _sizes(values: Sequence[Sized]) -> SizeRange | None:
    if not values:
        return None
    lengths = [len(value) for value in values]
    smallest, largest = min(lengths), max(lengths)
    # That all are empty is no evidence of a fixed length.
    is_fixed = smallest == largest > 0 and len(lengths) >= FIXED_AFTER
    return SizeRange(smallest, largest, is_fixed=is_fixed)


def _positions(
    profile_of: Callable[[Iterable[Value]], Profile], containers: Sequence[Sequence[Value]]
) -> tuple[Profile, ...] | None:
    """Return the profiles of a record's fields, if lists of one length differ in type by position.

    Two tuples are enough if each field always has the same type.
    """
    if len({len(container) for container in containers}) != 1:
        return None
    if any(type(container) not in SEQUENCES for container in containers):
        return None
    kinds = [set(map(type, column)) for column in zip(*containers, strict=True)]
    # Two tuples with the same types at the same positions are a record. Lists need more examples.
    # The types must differ between positions in both cases.
    is_record = all(type(container) is tuple for container in containers) and all(
        len(each) == 1 for each in kinds
    )
    if len(containers) < (2 if is_record else FIXED_AFTER) or all(
        each == kinds[0] for each in kinds
    ):
        return None
    return tuple(profile_of(column) for column in zip(*containers, strict=True))


def _is_square(containers: Sequence[Sequence[Value]]) -> bool:
    """Return whether all tables are square."""
    return all(len(rows) == len(rows[0]) for rows in containers if rows)


def _is_rectangular(containers: Sequence[Sequence[Value]]) -> bool:
    if not all(type(row) in SEQUENCES for rows in containers for row in rows):
        return False
    # A table with one row cannot have rows of different lengths, so it is no evidence.
    if not any(len(rows) > 1 for rows in containers):
        return False
    return all(len({len(row) for row in rows}) < 2 for rows in containers)
