"""A non-negative integer, small enough that the factorial can be computed."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 900, "n must be at most 900, so that plain recursion finishes"
