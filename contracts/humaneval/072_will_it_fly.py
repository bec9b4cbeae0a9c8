"""A list of finite numbers and a finite weight; an empty list is a palindrome of sum 0.

With floats the order of adding changes the last bits of the sum, so a sum that equals the
weight within such an error is excluded; integers compare exactly.
"""

import math
from fractions import Fraction


def precondition(q, w):
    assert type(q) is list, "q must be a list"
    for number in (*q, w):
        assert type(number) in (int, float), "w and every element of q must be a number"
        assert type(number) is int or math.isfinite(number), (
            "w and every element of q must be finite"
        )
    if any(type(number) is float for number in q):
        assert all(abs(number) <= 10**100 for number in (*q, w)), (
            "numbers beside floats must be at most 10**100 in size, so that sums are finite"
        )
        exact = [Fraction(number) for number in q]
        margin = Fraction(1, 10**9) * max(1, sum(abs(number) for number in exact))
        assert abs(sum(exact) - Fraction(w)) > margin, (
            "a sum of floats must differ from w by more than a rounding error"
        )
