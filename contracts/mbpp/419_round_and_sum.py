"""A list of numbers, none halfway between two integers unless every usual way rounds it alike."""

import math


def precondition(list1):
    assert type(list1) is list, "list1 must be a list"
    for number in list1:
        is_number = type(number) is int or (type(number) is float and math.isfinite(number))
        assert is_number, "every element must be a finite number"
        if type(number) is float and abs(number % 1 - 0.5) < 1e-9:
            up = math.floor(number) + 1
            away = up if number > 0 else up - 1
            assert round(number) == up == away, "all ways of rounding must agree on a number"
