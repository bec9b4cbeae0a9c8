"""decimal.Decimal: equal to other numbers as Python has it, whatever zeros it is written with."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from evalplus_lite.values.kinds.kind import TEXT, Kind, text

MAX_DIGITS = 10_000
"""Digits, before or behind the point: more are made of an exponent than a text has characters."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(E[+-]?\d{1,6})?|-?Infinity|-?NaN", re.A | re.I)
_DEEPER = 3
"""Places behind the point, and before, that inputs are made with beyond those seen."""


def _pack(value: Any) -> Any:
    from decimal import Decimal

    return (Decimal.__str__(value),)


def _unpack(parts: Any, find: Any) -> Any:
    from decimal import Decimal

    return Decimal(parts[0])


def make(written: object) -> Decimal:
    """Return the number of a text such as ``1.50``, ``1E+3``, ``Infinity`` or ``NaN``."""
    if not _NUMBER.fullmatch(text(written, MAX_DIGITS)):
        raise ValueError("a decimal number was expected, such as '1.50'")
    value = Decimal(str(written))
    if value.is_finite() and value and abs(value.adjusted()) > MAX_DIGITS:
        raise ValueError(f"an exponent beyond {MAX_DIGITS}")
    exponent = value.as_tuple().exponent
    if type(exponent) is int and abs(exponent) > 2 * MAX_DIGITS:
        raise ValueError(f"an exponent beyond {2 * MAX_DIGITS}")
    return value


def _view(value: Decimal) -> tuple[int, int] | str:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return str(value)
    number = int("".join(map(str, digits[:4000])))
    return (-number if sign else number), -exponent


def _viewed(view: Any, like: Decimal) -> Decimal:
    if type(view) is str:
        return make(view)
    number, places = view
    exponent = like.as_tuple().exponent
    deepest = max(2, -exponent if isinstance(exponent, int) else 0) + _DEEPER
    return Decimal((int(number < 0), Decimal(abs(int(number))).as_tuple().digits,
                    -max(-_DEEPER, min(int(places), deepest))))  # fmt: skip


KIND = Kind(
    name="decimal",
    type=Decimal,
    inside=("decimal.Decimal",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    is_signed=True,
    base="scalar",
    constructors={"Decimal": lambda value=0: Decimal(make(value) if type(value) is str else value)},
    annotations=("Decimal",),
    call="decimal.Decimal",
    view=_view,
    viewed=_viewed,
    examples=tuple(map(Decimal, "19.99 0.01 100 -5.25 0 1.005 0.10 2.675 1E+3 -0.00".split())),
)
