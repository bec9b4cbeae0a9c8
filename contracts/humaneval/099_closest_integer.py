"""A plain decimal number as in the examples: an optional minus sign, digits, perhaps a fraction.

Signs of other kinds, exponents, "5." and ".5" are left out by the examples. A fraction within
rounding error of one half, but not one half, is excluded: read as a float it would be a tie. So
are numbers of 2**50 and more, which a float no longer carries to the half.
"""

import re
from fractions import Fraction


def precondition(value):
    assert type(value) is str and len(value) <= 100, (
        "value must be a string of at most 100 characters"
    )
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value), "value must be a plain decimal number"
    size = abs(Fraction(value))
    assert size < 2**50, "value must be smaller than 2**50 in size"
    from_tie = abs(size % 1 - Fraction(1, 2))
    assert from_tie == 0 or from_tie > max(1, size) * Fraction(4, 10**16), (
        "value must be a half exactly, or clearly none"
    )
