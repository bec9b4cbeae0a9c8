"""decimal.Decimal and fractions.Fraction, which equal other numbers by Python's rules."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, TEXT, Kind, text, whole

MAX_DIGITS = 10_000
"""Maximum digits before or after the point, as a short exponent could require far more."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(E[+-]?\d{1,6})?|-?Infinity|-?NaN", re.A | re.I)
_DEEPER = 3
"""Additional places before and after the point in generated inputs, beyond those seen."""


def _pack_decimal(value: Any) -> Any:
    from decimal import Decimal

    return (Decimal.__str__(value),)


def _unpack_decimal(parts: Any, find: Any) -> Any:
    from decimal import Decimal

    return Decimal(parts[0])


def make_decimal(written: object) -> Decimal:
    """Parse a number such as ``1.50``, ``1E+3``, ``Infinity`` or ``NaN``."""
    if not _NUMBER.fullmatch(text(written, MAX_DIGITS)):
        raise ValueError("a decimal number was expected, such as '1.50'")
    value = Decimal(str(written))
    if value.is_finite() and value and abs(value.adjusted()) > MAX_DIGITS:
        raise ValueError(f"an exponent beyond {MAX_DIGITS}")
    exponent = value.as_tuple().exponent
    if type(exponent) is int and abs(exponent) > 2 * MAX_DIGITS:
        raise ValueError(f"an exponent beyond {2 * MAX_DIGITS}")
    return value


def _view_decimal(value: Decimal) -> tuple[int, int] | str:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return str(value)
    number = int("".join(map(str, digits[:4000])))
    return (-number if sign else number), -exponent


def _viewed_decimal(view: Any, like: Decimal) -> Decimal:
    if type(view) is str:
        return make_decimal(view)
    number, places = view
    exponent = like.as_tuple().exponent
    deepest = max(2, -exponent if isinstance(exponent, int) else 0) + _DEEPER
    return Decimal((int(number < 0), Decimal(abs(int(number))).as_tuple().digits,
                    -max(-_DEEPER, min(int(places), deepest))))  # fmt: skip


DECIMAL = Kind(
    name="decimal",
    type=Decimal,
    inside=("decimal.Decimal",),
    pack=_pack_decimal,
    unpack=_unpack_decimal,
    make=make_decimal,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    is_signed=True,
    base="scalar",
    constructors={
        "Decimal": lambda value=0: Decimal(make_decimal(value) if type(value) is str else value)
    },
    annotations=("Decimal",),
    call="decimal.Decimal",
    view=_view_decimal,
    viewed=_viewed_decimal,
    examples=tuple(map(Decimal, "19.99 0.01 100 -5.25 0 1.005 0.10 2.675 1E+3 -0.00".split())),
)


def _pack_fraction(value: Any) -> Any:
    return value.numerator, value.denominator


def _unpack_fraction(parts: Any, find: Any) -> Any:
    from fractions import Fraction

    return Fraction(*parts)


def _call(numerator: Any = 0, denominator: Any = 1) -> Fraction:
    if type(numerator) is str:
        if len(numerator) > 100 or "e" in numerator.lower():
            raise ValueError("a fraction such as '1/3' was expected")
        return Fraction(numerator)
    return Fraction(numerator, denominator)


FRACTION = Kind(
    name="fraction",
    type=Fraction,
    inside=("fractions.Fraction",),
    pack=_pack_fraction,
    unpack=_unpack_fraction,
    make=lambda *parts: Fraction(*map(whole, parts)),
    forms=(INTEGERS, INTEGERS),
    is_atom=True,
    has_order=True,
    is_signed=True,
    base="scalar",
    constructors={"Fraction": _call},
    annotations=("Fraction",),
    call="fractions.Fraction",
    view=_pack_fraction,
    viewed=lambda view, like: Fraction(int(view[0]), int(view[1]) or 1),
    examples=tuple(map(Fraction, "1/2 3 -2/3 0 7/4 1/1000 22/7".split())),
)
