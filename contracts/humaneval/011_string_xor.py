"""Two strings of equal length "consisting only of 1s and 0s", of one digit at least.

For unequal lengths the prompt does not say where to align. The empty string is no binary number:
a program that goes by `int(a, 2)` is right for all others.
"""


def precondition(a, b):
    assert type(a) is str and type(b) is str, "a and b must be strings"
    assert set(a) | set(b) <= {"0", "1"}, "a and b must be made of 0s and 1s only"
    assert len(a) == len(b), "a and b must have the same length"
    assert a, "a and b must have at least one digit"
