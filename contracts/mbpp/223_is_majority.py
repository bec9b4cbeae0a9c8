"""A sorted list of numbers, its length, and a number."""

import math


def precondition(arr, n, x):
    assert type(arr) is list, "arr must be a list"
    for number in (*arr, x):
        is_number = type(number) is int or (type(number) is float and math.isfinite(number))
        assert is_number, "x and every element of arr must be a finite number"
    assert arr == sorted(arr), "arr must be sorted"
    assert type(n) is int and n == len(arr), "n must be the length of arr"
