"""A list of finite numbers, possibly empty: the sum of nothing is 0."""

import math


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(x) in (int, float) for x in lst), "every element of lst must be a number"
    assert all(type(x) is int or math.isfinite(x) for x in lst), (
        "every element of lst must be finite"
    )
