"""Three positive finite "lengths" whose test and rounding do not hang on the last bit of a float.

Fair programs add the sides in any order and may take any formula for the area, so with floats
they differ by a few bits. Excluded are sides that form a triangle by such a hair only, and areas
so near the middle between two hundredths that the bits decide which one is printed.
"""

import math
from fractions import Fraction


def precondition(a, b, c):
    for side in (a, b, c):
        assert type(side) in (int, float), "a, b and c must be numbers"
        assert type(side) is int or math.isfinite(side), "a, b and c must be finite"
        assert 0 < side <= 10**6, "a, b and c must be positive and at most 1000000"
    x, y, z = sorted(Fraction(side) for side in (a, b, c))
    excess = x + y - z
    assert excess == 0 or abs(excess) > z / 10**9, (
        "the sum of two sides must be the third, or differ by more than a rounding error"
    )
    if excess > 0:
        # Heron's formula; the area in units of 1/200, so that an odd number is a middle.
        square = 2500 * (x + y + z) * excess * (x + z - y) * (y + z - x)
        units = Fraction(math.isqrt(int(square * 10**40)), 10**20)
        # 1e-14 is some 45 units in the last place; a needle loses z / excess times more.
        assert abs(units % 2 - 1) > units * (z / excess) / 10**14, (
            "the area must be nearer to one hundredth than to the next"
        )
