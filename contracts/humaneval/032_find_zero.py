"""An "even number of coefficients" whose last, that of the highest power, is not zero.

"Largest non zero coefficient" must mean the highest power's: that is what "guarantees a solution".
"""

import math
from fractions import Fraction


def precondition(xs):
    assert type(xs) is list, "xs must be a list"
    assert len(xs) >= 2 and len(xs) % 2 == 0, "xs must be of even length, and not empty"
    for x in xs:
        is_number = type(x) is int or (type(x) is float and math.isfinite(x))
        assert is_number, "every element of xs must be a finite number"
        # A tiny polynomial is near zero everywhere; a huge one overflows.
        assert x == 0 or 1e-3 <= abs(x) <= 1e12, (
            "every element of xs must be 0 or from 1e-3 to 1e12 in size"
        )
    assert xs[-1] != 0, "the last element of xs must not be zero"
    assert len(xs) <= 20, (
        "xs must be at most 20 coefficients long, so that powers of x do not overflow"
    )
    # Bisecting down to a fixed width such as 1e-10 never ends where floats lie further apart.
    reach = 1
    while _exact(xs, -reach) * _exact(xs, reach) >= 0:
        reach *= 2
        assert reach <= 2**16, "the sign must change between -65536 and 65536"


def check(inputs, output, expected):
    """A number where the polynomial vanishes, as far as floats can tell."""
    xs = inputs[0]
    if type(output) not in (int, float) or not abs(output) <= 1e18:
        return False
    x = Fraction(output)
    value = abs(_exact(xs, x))
    # The tolerance of HumanEval's own tests; a steep polynomial misses it at the nearest float.
    if value <= 1e-4:
        return True
    terms = _exact([abs(coefficient) for coefficient in xs], abs(x))
    if value <= Fraction(1, 10**9) * terms:
        return True
    width = Fraction(1, 10**6) * max(1, abs(x))
    return _exact(xs, x - width) * _exact(xs, x + width) <= 0


def _exact(xs, x):
    """The polynomial's value at x without rounding."""
    total = Fraction(0)
    for coefficient in reversed(xs):
        total = total * x + Fraction(coefficient)
    return total
