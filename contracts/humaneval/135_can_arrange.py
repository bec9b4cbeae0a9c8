"""A list of finite numbers, possibly empty: "will not contain duplicate values"."""

import math


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) in (int, float) for x in arr), "elements must be integers or floats"
    assert all(type(x) is int or math.isfinite(x) for x in arr), "floats must be finite"
    assert len(set(arr)) == len(arr), "elements must differ from each other"
