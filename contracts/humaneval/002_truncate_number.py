"""A "positive floating point number"; whole ones too: the leftover is "always smaller than 1"."""

import math


def precondition(number):
    assert type(number) is float, "number must be a float"
    assert math.isfinite(number) and number > 0, "number must be positive and finite"
