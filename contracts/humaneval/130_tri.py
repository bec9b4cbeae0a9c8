"""A "non-negative integer number n", bounded because the answer has n + 1 numbers."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 2_000_000, "n must be at most 2000000, to keep the answer below 100 MB"
