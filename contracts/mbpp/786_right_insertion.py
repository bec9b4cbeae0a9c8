"""A sorted list of numbers, and a number."""

import math


def precondition(a, x):
    assert type(a) is list, "a must be a list"
    for number in (*a, x):
        is_number = type(number) is int or (type(number) is float and math.isfinite(number))
        assert is_number, "x and every element must be a finite number"
    assert a == sorted(a), "a must be sorted"
