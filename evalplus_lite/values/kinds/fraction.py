"""fractions.Fraction: equal to other numbers as Python has it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, Kind, whole


def _pack(value: Any) -> Any:
    return value.numerator, value.denominator


def _unpack(parts: Any, find: Any) -> Any:
    from fractions import Fraction

    return Fraction(*parts)


def make(numerator: object, denominator: object) -> Fraction:
    """Return the fraction of two integers, reduced to lowest terms."""
    return Fraction(whole(numerator), whole(denominator))


def _call(numerator: Any = 0, denominator: Any = 1) -> Fraction:
    if type(numerator) is str:
        if len(numerator) > 100 or "e" in numerator.lower():
            raise ValueError("a fraction such as '1/3' was expected")
        return Fraction(numerator)
    return Fraction(numerator, denominator)


def _viewed(view: Any, like: Fraction) -> Fraction:
    numerator, denominator = view
    return Fraction(int(numerator), int(denominator) or 1)


KIND = Kind(
    name="fraction",
    type=Fraction,
    inside=("fractions.Fraction",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(INTEGERS, INTEGERS),
    is_atom=True,
    has_order=True,
    is_signed=True,
    base="scalar",
    constructors={"Fraction": _call},
    annotations=("Fraction",),
    call="fractions.Fraction",
    view=_pack,
    viewed=_viewed,
    examples=tuple(map(Fraction, "1/2 3 -2/3 0 7/4 1/1000 22/7".split())),
)
