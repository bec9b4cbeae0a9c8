"""A positive number of digits.

The count itself has n digits; the bound keeps it below the 4300 that Python prints by default.
"""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 4000, "n must be at most 4000, so that the answer can be written out"
