"""A list of numbers and two indices of it, the first of which is not beyond the second: a range."""

import math


def precondition(list1, m, n):
    assert type(list1) is list, "list1 must be a list"
    assert all(type(x) is int or (type(x) is float and math.isfinite(x)) for x in list1), (
        "every element must be a finite number"
    )
    for index in (m, n):
        assert type(index) is int and 0 <= index < len(list1), "m and n must be indices of list1"
    assert m <= n, "m must not be beyond n"
