"""A list of integers and finite floats, but no float equal to a positive odd integer.

"Ignore numbers that are ... not integers" does not say whether 3.0 is one.
"""

import math


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(x) in (int, float) for x in lst), "every element of lst must be a number"
    floats = [x for x in lst if type(x) is float]
    assert all(math.isfinite(x) for x in floats), "every element of lst must be finite"
    assert not any(x > 0 and x % 2 == 1 for x in floats), (
        "every float must differ from all positive odd integers"
    )


# The original knows a float by the "." in its text, and so adds the square of 1e-05.
def double_the_difference(lst):
    return sum(x**2 for x in lst if type(x) is int and x > 0 and x % 2 == 1)
