"""A "non-negative integer number n", bounded because the answer has n + 1 numbers.

Each may be summed up anew within the bound. Recursion for each of them leaves Python's limit there:
nothing in the prompt says that n is small.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 3_000, "n must be at most 3000, so that the answer stays small"
