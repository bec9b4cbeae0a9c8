"""At least two finite coefficients.

The derivative of a constant is the zero polynomial, which both [] and [0] write "in the same
form"; the examples show none.
"""

import math


def precondition(xs):
    assert type(xs) is list and len(xs) >= 2, "xs must be a list of at least two elements"
    for power, coefficient in enumerate(xs):
        assert type(coefficient) in (int, float), "every element of xs must be a number"
        assert type(coefficient) is int or math.isfinite(power * coefficient), (
            "every element of xs, and its product with its power, must be finite"
        )
