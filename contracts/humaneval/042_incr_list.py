"""Any list of finite numbers."""

import math


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    for x in l:
        is_number = type(x) is int or (type(x) is float and math.isfinite(x))
        assert is_number, "every element of l must be a finite number"
