"""Two lists of finite numbers, or two lists of strings: the result is "sorted", so they must mix.

Numbers are what the examples show; strings have one order and one equality as well.
"""

import math


def precondition(l1, l2):
    assert type(l1) is list and type(l2) is list, "l1 and l2 must be lists"
    elements = l1 + l2
    assert all(type(element) in (int, float) for element in elements) or all(
        type(element) is str for element in elements
    ), "the elements of l1 and l2 must be all numbers or all strings"
    for element in elements:
        assert type(element) is not float or math.isfinite(element), (
            "every element of l1 and l2 must be finite"
        )
