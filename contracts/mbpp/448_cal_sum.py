"""A non-negative integer, of which small ones have answers that Python writes out."""


def precondition(n):
    assert type(n) is int and 0 <= n <= 10_000, "n must be an integer from 0 to 10000"
