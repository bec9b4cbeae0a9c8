"""A plain decimal number as in the examples: an optional minus sign, digits, perhaps a fraction.

Signs of other kinds, exponents, "5." and ".5" are left out by the examples. A fraction within
rounding error of one half, but not one half, is excluded: read as a float it would be a tie. Of
numbers from 2**50 on those are taken that a float carries exactly, also beside a half.
"""

import math
import re
from fractions import Fraction


def precondition(value):
    assert type(value) is str and len(value) <= 100, (
        "value must be a string of at most 100 characters"
    )
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value), "value must be a plain decimal number"
    exact, number = Fraction(value), float(value)
    if abs(exact) >= 2**50:
        assert exact == math.floor(number + 0.5) == math.ceil(number - 0.5), (
            "a float must carry a value of 2**50 or more exactly"
        )
    else:
        from_tie = abs(exact % 1 - Fraction(1, 2))
        assert from_tie == 0 or from_tie > max(1, abs(exact)) * Fraction(4, 10**16), (
            "value must be a half exactly, or clearly none"
        )
