"""A list of finite numbers; equal neighbours are allowed, since "monotonically" is not "strictly".

NaN is excluded because it has no place in an order.
"""

import math


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    for element in l:
        assert type(element) in (int, float), "every element of l must be a number"
        assert type(element) is int or math.isfinite(element), "every element of l must be finite"
