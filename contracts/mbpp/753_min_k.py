"""Pairs of a string and a number, and how many of them are wanted."""

import math


def precondition(test_list, K):
    assert type(test_list) is list, "test_list must be a list"
    for row in test_list:
        assert type(row) is tuple and len(row) == 2 and type(row[0]) is str, (
            "every element must be a tuple of a string and a number"
        )
        is_number = type(row[1]) is int or (type(row[1]) is float and math.isfinite(row[1]))
        assert is_number, "every second value must be a finite number"
    assert type(K) is int and 0 <= K <= len(test_list), (
        "K must be an integer from 0 to the number of tuples"
    )
