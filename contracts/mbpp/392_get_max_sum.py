"""A non-negative integer, small enough for recursion by the given equation, as it stands."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 20_000, "n must be at most 20000, so that plain recursion finishes"
