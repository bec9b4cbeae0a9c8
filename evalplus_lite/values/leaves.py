"""Whether two leaves, of an output and of the expected one, are equal or near."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalplus_lite.types import Rule

NUMBERS = (int, float, complex)


def same(a: Any, b: Any, rule: Rule) -> bool:
    """Return whether ``a`` is the expected ``b``, both plain or a Decimal or Fraction of one.

    Python's equality; if ``b`` is a float, by the rule's tolerance; NaN is NaN.
    """
    if isinstance(b, float | complex):
        if isinstance(a, Decimal | Fraction):
            try:
                a = float(a)
            except OverflowError:
                return False
        return isinstance(a, NUMBERS) and close(a, b, rule)
    return bool(a == b) or (a != a and b != b)


def close(a: Any, b: Any, rule: Rule) -> bool:
    """Return whether ``a`` is within the rule's tolerance of the expected ``b``; NaN is NaN."""
    if a == b:
        return True
    if isinstance(a, complex) or isinstance(b, complex):
        try:
            return _close_parts(complex(a), complex(b), rule)
        except OverflowError:  # an integer too long for a float
            return False
    if math.isnan(b):
        return isinstance(a, float) and math.isnan(a)
    try:
        difference = abs(a - b)
    except OverflowError:  # an integer too long for a float
        return False
    return bool(difference <= max(rule.atol, rule.rtol * abs(b))) and math.isfinite(b)


def _close_parts(a: complex, b: complex, rule: Rule) -> bool:
    return close(a.real, b.real, rule) and close(a.imag, b.imag, rule)
