"""Whether two numbers, the leaves of an output and of the expected one, are equal or near."""

from __future__ import annotations

import math
from typing import Any

from evalplus_lite.types import Rule


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
