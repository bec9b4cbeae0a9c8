"""Domains: the values that one slot of the inputs may have, and reasons for rejecting others."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sized
from dataclasses import dataclass, field, replace

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.generate.domains.layout import Layout
from evalplus_lite.generate.domains.profile import CONTAINERS, SEQUENCES, SIZED, View
from evalplus_lite.generate.domains.text import PRINTABLE, WELL_FORMED, DateForm, has_widths
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that one slot may have; None means no limit."""

    kinds: tuple[type, ...]
    lowest: float | None = None
    highest: float | None = None
    multiple: int = 1
    """A common divisor of all numbers."""
    has_special: bool = False
    """Whether NaN and the infinities are allowed."""
    smallest: int = 0
    largest: int | None = None
    alphabet: str = ""
    """The characters allowed in strings, in order."""
    has_common_pattern: bool = False
    """Whether many of the examples' strings have the same kinds of tokens in the same order."""
    widths: tuple[int, ...] | None = None
    """The length of each run of digits in every string, 0 where it varies."""
    dates: DateForm | None = None
    """The date format of every string."""
    well_formed: tuple[str, ...] = ()
    """The properties of ``text.WELL_FORMED`` that every string has, if they apply to it."""
    layout: Layout | None = None
    """The line-by-line layout that all strings share."""
    words: frozenset[str] | None = None
    """The only whitespace-separated words that strings may have."""
    items: Domain | None = None
    positions: tuple[Domain, ...] | None = None
    keys: Domain | None = None
    values: Domain | None = None
    required: Mapping[str, frozenset[type]] = field(default_factory=dict)
    """Keys that every dict has and the reference reads by name, with the types of their values."""
    fields: Mapping[str, Domain] = field(default_factory=dict)
    """The domains of the values of required keys, where the dict is not inside another one."""
    choices: tuple[Value, ...] = ()
    """The only allowed values of their types; other types are not restricted."""
    views: tuple[View[Domain], ...] = ()
    """For each extended type, the domain of its views."""
    is_uniform: bool = False
    is_rectangular: bool = False
    is_square: bool = False
    also: tuple[type, ...] = ()
    """Types not seen in examples but allowed because a contract decides; never sampled."""
    has_any_characters: bool = False
    """Whether strings may have characters outside the alphabet, because a contract decides."""
    characters: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", frozenset(self.alphabet))

    def widened(self, hint: Type) -> Domain:
        """Return the domain extended by the types of a signature."""
        keys, values = hint.entry or (None, None)
        # A signature with several element types allows them in one list, whatever the examples
        # have.
        stated = hint.items is not None and len(hint.items.kinds) > 1
        return replace(
            self,
            kinds=union(self.kinds, hint.kinds),
            alphabet=self.alphabet or (PRINTABLE if str in hint.kinds else ""),
            items=_widened(self.items, hint.items),
            keys=_widened(self.keys, keys),
            values=_widened(self.values, values),
            is_uniform=self.is_uniform and not stated,
        )

    def opened(self) -> Domain:
        """Return the domain for a contract that itself restricts types and characters."""
        # If examples have ints, floats may be valid as well, and vice versa: the contract decides.
        numbers = (int, float) if {int, float} & set(self.kinds) else ()
        also = tuple(kind for kind in numbers if kind not in self.kinds)
        return replace(self.inner(Domain.opened), also=also, has_any_characters=True)

    def inner(self, change: Callable[[Domain], Domain]) -> Domain:
        """Return the domain with a change made to all domains directly inside it.

        Atoms are compared as a whole, so the domains of their parts stay.
        """
        return replace(
            self,
            items=self.items and change(self.items),
            keys=self.keys and change(self.keys),
            values=self.values and change(self.values),
            fields={name: change(each) for name, each in self.fields.items()},
            positions=self.positions and tuple(map(change, self.positions)),
            views=tuple(
                each if BY_TYPE[each.kind].is_atom else replace(each, about=change(each.about))
                for each in self.views
            ),
        )

    def of_any_sign(self) -> Domain:
        """Return the domain with bounds symmetric around zero."""
        if self.highest is None or self.lowest is None:
            return replace(self, lowest=None)
        reach = max(abs(self.lowest), abs(self.highest))
        return replace(self, lowest=-reach, highest=reach)

    def choices_of(self, kind: type) -> tuple[Value, ...]:
        """Return the only allowed values of a type; empty if it is not restricted."""
        return tuple(choice for choice in self.choices if type(choice) is kind)

    def explain(self, value: Value) -> str | None:
        """Return why the value is outside the domain, or None if it is not."""
        kind = type(value)
        if kind not in self.kinds and kind not in self.also:
            return f"{kind.__name__} where only {_names(self.kinds)} was seen"
        # A type with listed values has no further bounds.
        if self.choices and (choices := self.choices_of(kind)):
            return None if value in choices else f"{value!r} is none of {choices!r}"
        if kind is int or kind is float:
            return self._explain_number(value)
        if kind is str:
            # Check the length first: it is cheap, and rejects long texts without reading them.
            return self._explain_size(value) or self._explain_text(value)
        if kind in SIZED:
            return self._explain_size(value) or self._explain_elements(kind, value)
        for each in self.views:
            if each.kind is kind:
                return each.about.explain(BY_TYPE[kind].view(value))
        return None

    def _explain_number(self, value: float) -> str | None:
        if type(value) is float and not math.isfinite(value):
            return None if self.has_special else f"{value!r} where only finite numbers were seen"
        if self.lowest is not None and value < self.lowest:
            return f"{value!r} is below {self.lowest!r}"
        if self.highest is not None and value > self.highest:
            return f"{value!r} is above {self.highest!r}"
        if self.multiple > 1 and value % self.multiple:
            return f"{value!r} is no multiple of {self.multiple}"
        return None

    def _explain_size(self, value: Sized) -> str | None:
        size = len(value)
        if size < self.smallest:
            return f"a length of {size} is below {self.smallest}"
        if self.largest is not None and size > self.largest:
            return f"a length of {size} is above {self.largest}"
        return None

    def _explain_text(self, value: str) -> str | None:
        if not self.has_any_characters and not self.characters.issuperset(value):
            # In text order, so that the reason is the same in every run.
            strange = next(each for each in value if each not in self.characters)
            return f"{strange!r} is no character of the kinds seen"
        if self.layout is not None and (departure := self.layout.explain(value)) is not None:
            return f"{value[:40]!r} is not in the format seen: {departure}"
        if self.widths is not None and not has_widths(value, self.widths):
            return f"{value[:40]!r} has numbers of other lengths than all that were seen"
        for name in self.well_formed:
            if WELL_FORMED[name](value) is False:
                return f"{value[:40]!r} has {name} that are not well-formed"
        if self.dates is not None and not self.dates.admits(value):
            return f"{value[:40]!r} is no day of the calendar"
        if self.words is not None and not self.words.issuperset(value.split()):
            return f"{value[:40]!r} holds a word that neither inputs nor reference know"
        return None

    def _explain_elements(self, kind: type, value: Value) -> str | None:
        if kind is dict:
            for name, kinds in self.required.items():
                if name not in value or type(value[name]) not in kinds:
                    return f"{name!r} is missing or of another type than in every example"
            for name, domain in self.fields.items():
                if (reason := domain.explain(value[name])) is not None:
                    return f"{name!r}: {reason}"
            return self._explain_all(self.keys, value) or self._explain_all(
                self.values, list(value.values())
            )
        if kind not in CONTAINERS or not value:
            return None
        # If the size is fixed, records of other lengths have been rejected by their size.
        if self.positions is not None and len(value) == len(self.positions):
            for domain, element in zip(self.positions, value, strict=True):
                if (reason := domain.explain(element)) is not None:
                    return reason
            return None
        # Check the shape first: it is cheaper than the cells.
        if self.is_rectangular:
            widths = {len(row) if type(row) in SEQUENCES else -1 for row in value}
            if len(widths) > 1 or -1 in widths:
                return "rows of different lengths where all were equal"
        if self.is_square and len(value) != len(value[0]):
            return f"{len(value)} rows of {len(value[0])} where all were square"
        return self._explain_all(self.items, value)

    def _explain_all(self, domain: Domain | None, values: Collection[Value]) -> str | None:
        if not values:
            return None
        # Nothing is known about elements, so only empty containers are allowed.
        if domain is None:
            return "elements where only empty containers were seen"
        kinds = set(map(type, values))
        if len(kinds) > 1 and self.is_uniform and not (domain.also and kinds <= {int, float}):
            return "elements of several types in one container"
        if len(kinds) == 1 and (only := next(iter(kinds))) in (int, float, str):
            # The common case at C speed: all elements have one plain type.
            # If that type is not allowed, the first element gives the reason for all.
            if only not in domain.kinds:
                return domain.explain(next(iter(values)))
            # ``False`` here means "not surely", and each element is checked below.
            if only is not str and not domain.choices and domain._holds_numbers(only, values):
                return None
        for element in values:
            if (reason := domain.explain(element)) is not None:
                return reason
        return None

    def _holds_numbers(self, kind: type, values: Collection[float]) -> bool:
        """Return whether values, all of an allowed type int or float, are surely within bounds."""
        # ``not ... >=`` rather than ``<``: a comparison with NaN is always false.
        if self.lowest is not None and not min(values) >= self.lowest:
            return False
        if self.highest is not None and not max(values) <= self.highest:
            return False
        # The sum of floats is finite only if all are; an overflow only leads to the slow check.
        return kind is int or self.has_special or math.isfinite(sum(values))


def union(first: tuple[type, ...], second: tuple[type, ...]) -> tuple[type, ...]:
    """Return the types of both, sorted by name."""
    kinds = {kind.__name__: kind for kind in (*first, *second)}
    return tuple(kinds[name] for name in sorted(kinds))


def _widened(domain: Domain | None, hint: Type | None) -> Domain | None:
    if hint is None or not hint.kinds:
        return domain
    return (domain or Domain(())).widened(hint)


def _names(kinds: tuple[type, ...]) -> str:
    return " or ".join(kind.__name__ for kind in kinds) or "nothing"
