"""A non-negative index: the sequence starts at fib4(0)."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    # Python refuses to write out integers of more than 4300 digits; fib4(10000) has 2850.
    assert n <= 10_000, "n must be at most 10000, so that the answer can be written out"
