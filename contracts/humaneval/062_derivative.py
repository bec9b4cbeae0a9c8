"""One finite coefficient or more.

The derivative of a constant could be written [] or [0] "in the same form"; an original test has
[1] give [].
"""

import math


def precondition(xs):
    assert type(xs) is list and xs, "xs must be a list of at least one element"
    for power, coefficient in enumerate(xs):
        assert type(coefficient) in (int, float), "every element of xs must be a number"
        assert type(coefficient) is int or math.isfinite(power * coefficient), (
            "every element of xs, and its product with its power, must be finite"
        )
