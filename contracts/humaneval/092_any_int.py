"""Three finite "numbers", integers or floats.

Whether a float such as 3.0 is one of the "integers" the words leave open, but not the task: an
original test (3.0, 4, 7) expects False.
"""

import math


def precondition(x, y, z):
    for number in (x, y, z):
        assert type(number) in (int, float), "x, y and z must be numbers"
        assert type(number) is int or math.isfinite(number), "x, y and z must be finite"
