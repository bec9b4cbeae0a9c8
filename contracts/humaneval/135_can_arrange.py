"""A list of finite numbers, possibly empty: "will not contain duplicate values"."""

import math


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) in (int, float) for x in arr), "every element of arr must be a number"
    assert all(type(x) is int or math.isfinite(x) for x in arr), (
        "every element of arr must be finite"
    )
    assert len(set(arr)) == len(arr), "the elements of arr must differ from each other"
