"""Any "two positive integers", in either order (by the example)."""


def precondition(a, b):
    assert type(a) is int and a > 0, "a must be a positive integer"
    assert type(b) is int and b > 0, "b must be a positive integer"
