"""Two integers that are not negative and not both zero.

Every integer divides 0, so two zeros have no greatest common divisor. For negative numbers "a
greatest common divisor" is one up to its sign: Euclid's loop in Python ends at -1 for 3 and -5.
"""


def precondition(a, b):
    assert type(a) is int and type(b) is int, "a and b must be integers"
    assert a >= 0 and b >= 0, "a and b must be non-negative"
    assert a or b, "a or b must be positive"
