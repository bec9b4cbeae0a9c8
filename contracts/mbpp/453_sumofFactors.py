"""A positive integer, small enough to try every smaller one."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 1_000_000, "n must be at most 1000000, so that a plain loop finishes"
