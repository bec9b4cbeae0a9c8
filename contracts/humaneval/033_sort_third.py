"""A list of finite numbers or a list of strings: values that can all be sorted among each other."""

import math


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    if not all(type(x) is str for x in l):
        for x in l:
            is_number = type(x) is int or (type(x) is float and math.isfinite(x))
            assert is_number, "every element of l must be a finite number, or each one a string"
