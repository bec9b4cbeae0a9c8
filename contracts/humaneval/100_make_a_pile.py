"""A "positive integer n", bounded because the answer has n numbers."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 10_000, "n must be at most 10000, so that the answer stays small"
