"""A non-negative x, because the prompt speaks of "the digits" and says nothing of a sign.

shift is a count of places, hence non-negative; it may exceed the number of digits.
"""


def precondition(x, shift):
    assert type(x) is int and x >= 0, "x must be a non-negative integer"
    # Python writes out no longer integer.
    assert x < 10**4300, "x must have at most 4300 digits"
    assert type(shift) is int and shift >= 0, "shift must be a non-negative integer"
