"""Inference: domains read off what was seen.

*Inferred* (no contract: nothing else keeps inputs within the specification) a domain stays near
what was seen. *Typed* (a contract decides the rest) it keeps types, fixed forms, and to printable
ASCII plus what was seen: published contracts were measured to let other inputs through although
no prompt means them (for one, an empty string for a list).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from evalplus_lite.generate.alphabet import PRINTABLE, widen
from evalplus_lite.generate.domain import Domain, union
from evalplus_lite.generate.forms import ENOUGH, has_form, pattern_of, words_of
from evalplus_lite.generate.shape import SEQUENCES, Shape

_GROWTH = 10
"""Inferred numbers reach this many times as far as the largest seen, sizes twice as far."""
_DEEPER = 2
"""Values that nest freely may nest so much deeper than seen."""
_FLOOR = 100
_SIZE_FLOOR = 12


def inferred(shape: Shape, *, known: Collection[str] = ()) -> Domain:
    """Return a domain near what was seen; ``known`` are the reference's string constants."""

    def inner(part: Shape | None) -> Domain | None:
        return inferred(part, known=known) if part else None

    lowest, highest = _bounds(shape)
    text = shape.text
    return Domain(
        lowest=lowest,
        highest=highest,
        alphabet=widen(text.counts) if text else "",
        pattern=pattern_of(text.values) if text else None,
        words=words_of(text.values, known) if text else None,
        items=inner(shape.items),
        positions=tuple(inferred(each, known=known) for each in shape.positions)
        if shape.positions
        else None,
        keys=inner(shape.keys),
        values=inner(shape.values),
        **_span(shape),
        **_form(shape),
    )


def typed(shape: Shape, *, letters: str = "") -> Domain:
    """Return the domain of the types and fixed forms seen, over printable ASCII.

    ``letters`` are allowed in strings too. Where lists hold lists beside other values, they may
    nest a little deeper than seen. A list that stands directly as an argument keeps its
    size free, if its elements are alike: the contract says whether the size means anything.
    """
    return _deepened(_typed(shape, letters, is_inner=False))


def _typed(shape: Shape, letters: str, *, is_inner: bool = True) -> Domain:
    def inner(part: Shape | None) -> Domain | None:
        return _typed(part, letters) if part else None

    sizes = shape.sizes
    is_form = shape.positions is not None or (
        sizes is not None
        and sizes.is_fixed
        and (shape.kinds == (tuple,) or (is_inner and shape.kinds == (list,)))
    )
    return Domain(
        smallest=sizes.smallest if sizes and is_form else 0,
        largest=sizes.largest if sizes and is_form else None,
        alphabet="".join(sorted({*PRINTABLE, *letters, *shape.text.counts})) if shape.text else "",
        items=inner(shape.items),
        positions=tuple(_typed(each, letters) for each in shape.positions)
        if shape.positions
        else None,
        keys=inner(shape.keys),
        values=inner(shape.values),
        **_form(shape),
    )


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
        union(one.kinds, other.kinds),
        has_special=one.has_special or other.has_special,
        alphabet="".join(sorted({*one.alphabet, *other.alphabet})),
        items=part(one.items, other.items),
        keys=part(one.keys, other.keys),
        values=part(one.values, other.values),
    )


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
