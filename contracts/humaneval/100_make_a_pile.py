"""A "positive integer n"; the bound keeps the list of n levels within some megabytes."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 10**6, "n must be at most a million"
