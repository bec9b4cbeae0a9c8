"""Domains: which values may stand at one place of the inputs.

A domain is read off a ``Shape``. *Inferred* (no contract: nothing else keeps inputs within the
specification) it stays near what was seen. *Typed* (a contract decides the rest) it keeps types,
fixed forms, and to printable ASCII plus what was seen: published contracts were measured to let
such inputs through although no prompt means them (for one, an empty string for a list).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.generate.alphabet import PRINTABLE, widen
from evalplus_lite.generate.annotations import Hint
from evalplus_lite.generate.forms import ENOUGH, has_form, pattern_of, run_kind, runs, words_of
from evalplus_lite.generate.shape import CONTAINERS, SEQUENCES, SIZED, Shape
from evalplus_lite.types import Value

_GROWTH = 10
"""Inferred numbers reach this many times as far as the largest seen, sizes twice as far."""
_DEEPER = 2
"""Values that nest freely may nest so much deeper than seen."""
_FLOOR = 100
_SIZE_FLOOR = 12


@dataclass(frozen=True, slots=True)
class Domain:
    """What may stand at one place; None stands for no limit."""

    kinds: tuple[type, ...]
    lowest: float | None = None
    highest: float | None = None
    has_special: bool = False
    """Whether NaN and the infinities are allowed."""
    smallest: int = 0
    largest: int | None = None
    alphabet: str = ""
    """The characters allowed in strings, in order."""
    has_form: bool = False
    """Whether many of the strings seen consist of the same kinds of run, in the same order."""
    pattern: tuple[str, ...] | None = None
    """The kinds of run (``alphabet.runs``) that every string consists of, in order."""
    words: frozenset[str] | None = None
    """The only blank-separated words that strings may consist of."""
    items: Domain | None = None
    positions: tuple[Domain, ...] | None = None
    keys: Domain | None = None
    values: Domain | None = None
    is_uniform: bool = False
    is_rectangular: bool = False
    is_square: bool = False
    characters: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", frozenset(self.alphabet))

    @classmethod
    def inferred(cls, shape: Shape, *, known: Collection[str] = ()) -> Domain:
        """Return a domain near what was seen; ``known`` are the reference's string constants."""

        def inner(part: Shape | None) -> Domain | None:
            return cls.inferred(part, known=known) if part else None

        lowest, highest = _bounds(shape)
        text = shape.text
        return cls(
            lowest=lowest,
            highest=highest,
            alphabet=widen(text.counts) if text else "",
            pattern=pattern_of(text.values) if text else None,
            words=words_of(text.values, known) if text else None,
            items=inner(shape.items),
            positions=tuple(cls.inferred(each, known=known) for each in shape.positions)
            if shape.positions
            else None,
            keys=inner(shape.keys),
            values=inner(shape.values),
            **_span(shape),
            **_form(shape),
        )

    @classmethod
    def typed(cls, shape: Shape, *, letters: str = "") -> Domain:
        """Return the domain of the types and fixed forms seen, over printable ASCII.

        ``letters`` are allowed in strings too. Where lists hold lists beside other values, they may
        nest a little deeper than seen. A list that stands directly as an argument keeps its
        size free, if its elements are alike: the contract says whether the size means anything.
        """
        return _deepened(cls._typed(shape, letters, is_inner=False))

    @classmethod
    def _typed(cls, shape: Shape, letters: str, *, is_inner: bool = True) -> Domain:
        def inner(part: Shape | None) -> Domain | None:
            return cls._typed(part, letters) if part else None

        sizes = shape.sizes
        is_form = shape.positions is not None or (
            sizes is not None
            and sizes.is_fixed
            and (shape.kinds == (tuple,) or (is_inner and shape.kinds == (list,)))
        )
        return cls(
            smallest=sizes.smallest if sizes and is_form else 0,
            largest=sizes.largest if sizes and is_form else None,
            alphabet="".join(sorted({*PRINTABLE, *letters, *shape.text.counts}))
            if shape.text
            else "",
            items=inner(shape.items),
            positions=tuple(cls._typed(each, letters) for each in shape.positions)
            if shape.positions
            else None,
            keys=inner(shape.keys),
            values=inner(shape.values),
            **_form(shape),
        )

    def widened(self, hint: Hint) -> Domain:
        """Return the domain with the types that a signature states allowed too."""
        stated = hint.items is not None and len(hint.items.kinds) > 1
        return replace(
            self,
            kinds=_union(self.kinds, hint.kinds),
            alphabet=self.alphabet or (PRINTABLE if str in hint.kinds else ""),
            items=_widened(self.items, hint.items),
            keys=_widened(self.keys, hint.keys),
            values=_widened(self.values, hint.values),
            is_uniform=self.is_uniform and not stated,
        )

    def explain(self, value: Value) -> str | None:
        """Return why the value may not stand here, or None where it may."""
        kind = type(value)
        if kind not in self.kinds:
            return f"{kind.__name__} where only {_names(self.kinds)} was seen"
        if kind is int or kind is float:
            return self._explain_number(value)
        if kind is str:
            return self._explain_size(value) or self._explain_text(value)
        if kind in SIZED:
            return self._explain_size(value) or self._explain_elements(kind, value)
        return None

    def _explain_number(self, value: float) -> str | None:
        if type(value) is float and not math.isfinite(value):
            return None if self.has_special else f"{value!r} where only finite numbers were seen"
        if self.lowest is not None and value < self.lowest:
            return f"{value!r} is below {self.lowest!r}"
        if self.highest is not None and value > self.highest:
            return f"{value!r} is above {self.highest!r}"
        return None

    def _explain_size(self, value: Any) -> str | None:
        size = len(value)
        if size < self.smallest:
            return f"a length of {size} is below {self.smallest}"
        if self.largest is not None and size > self.largest:
            return f"a length of {size} is above {self.largest}"
        return None

    def _explain_text(self, value: str) -> str | None:
        if not self.characters.issuperset(value):
            strange = next(each for each in value if each not in self.characters)
            return f"{strange!r} is no character of the kinds seen"
        if self.pattern is not None and tuple(map(run_kind, runs(value))) != self.pattern:
            return f"{value[:40]!r} is not of the form {' '.join(self.pattern)}"
        if self.words is not None and not self.words.issuperset(value.split()):
            return f"{value[:40]!r} holds a word that neither inputs nor reference know"
        return None

    def _explain_elements(self, kind: type, value: Any) -> str | None:
        if kind is dict:
            return self._explain_all(self.keys, value) or self._explain_all(
                self.values, list(value.values())
            )
        if kind not in CONTAINERS or not value:
            return None
        if self.positions is not None and len(value) == len(self.positions):
            for domain, element in zip(self.positions, value, strict=True):
                if (reason := domain.explain(element)) is not None:
                    return reason
            return None
        if self.is_rectangular:
            widths = {len(row) if type(row) in SEQUENCES else -1 for row in value}
            if len(widths) > 1 or -1 in widths:
                return "rows of different lengths where all were equal"
        if self.is_square and len(value) != len(value[0]):
            return f"{len(value)} rows of {len(value[0])} where all were square"
        return self._explain_all(self.items, value)

    def _explain_all(self, domain: Domain | None, values: Any) -> str | None:
        if not values:
            return None
        if domain is None:
            return "elements where only empty containers were seen"
        kinds = set(map(type, values))
        if len(kinds) > 1 and self.is_uniform:
            return "elements of several types in one container"
        if len(kinds) == 1 and (only := next(iter(kinds))) in (int, float, str):
            # The common case at C speed: all elements of one plain type.
            if only not in domain.kinds:
                return domain.explain(next(iter(values)))
            if only is not str and domain._holds_numbers(only, values):
                return None
        for element in values:
            if (reason := domain.explain(element)) is not None:
                return reason
        return None

    def _holds_numbers(self, kind: type, values: Any) -> bool:
        """Return whether values, all of the allowed type int or float, are surely within bounds."""
        if self.lowest is not None and not min(values) >= self.lowest:
            return False
        if self.highest is not None and not max(values) <= self.highest:
            return False
        return kind is int or self.has_special or math.isfinite(sum(values))


def _deepened(domain: Domain) -> Domain:
    """Return the domain with further levels where containers hold their own kind beside others."""
    items = domain.items
    if items is None or items.kinds in ((list,), (tuple,)):
        return domain
    if not any(kind in items.kinds for kind in domain.kinds if kind in SEQUENCES):
        return domain
    within, depth = items, _DEEPER
    while (inner := within.items) is not None:
        plain = _joined(replace(within, items=None), replace(inner, items=None))
        within, depth = replace(plain, items=inner.items), depth + 1
    level = within
    for _ in range(depth):
        level = replace(within, items=level)
    return replace(domain, items=level)


def _joined(one: Domain, other: Domain) -> Domain:
    """Return a domain without bounds or form that admits what either admits, free of relations."""

    def part(first: Domain | None, second: Domain | None) -> Domain | None:
        return _joined(first, second) if first and second else first or second

    return Domain(
        _union(one.kinds, other.kinds),
        has_special=one.has_special or other.has_special,
        alphabet="".join(sorted({*one.alphabet, *other.alphabet})),
        items=part(one.items, other.items),
        keys=part(one.keys, other.keys),
        values=part(one.values, other.values),
    )


def _union(first: tuple[type, ...], second: tuple[type, ...]) -> tuple[type, ...]:
    kinds = {kind.__name__: kind for kind in (*first, *second)}
    return tuple(kinds[name] for name in sorted(kinds))


def _widened(domain: Domain | None, hint: Hint | None) -> Domain | None:
    if hint is None or not hint.kinds:
        return domain
    return (domain or Domain(())).widened(hint)


def _names(kinds: tuple[type, ...]) -> str:
    return " or ".join(kind.__name__ for kind in kinds) or "nothing"


def _form(shape: Shape) -> dict[str, Any]:
    """Return the fields that both ways of reading a shape have in common."""
    return {
        "kinds": shape.kinds,
        "has_form": shape.text is not None and has_form(shape.text.values),
        "has_special": shape.has_special,
        "is_uniform": shape.is_uniform,
        "is_rectangular": shape.is_rectangular,
        "is_square": shape.is_square,
    }


def _bounds(shape: Shape) -> tuple[float | None, float | None]:
    """Return bounds that keep signs: zero and negative numbers only where such were seen."""
    if shape.numbers is None:
        return None, None
    low, high = shape.numbers.lowest, shape.numbers.highest
    reach = max(_GROWTH * max(abs(low), abs(high)), _FLOOR)
    lowest = min(low, 1) if low > 0 else 0 if low == 0 else -reach
    highest = reach if high > 0 else 0 if high == 0 else max(high, -1)
    return lowest, highest


def _span(shape: Shape) -> dict[str, Any]:
    """Return limits of length that keep a fixed size, or emptiness out where it was not seen."""
    sizes = shape.sizes
    if sizes is None:
        return {"smallest": 0, "largest": None}
    if shape.positions or (sizes.smallest == sizes.largest and shape.count >= ENOUGH):
        return {"smallest": sizes.smallest, "largest": sizes.largest}
    return {"smallest": min(sizes.smallest, 1), "largest": max(2 * sizes.largest, _SIZE_FLOOR)}
