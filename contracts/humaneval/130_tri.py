"""A "non-negative integer number n", bounded because the answer has n + 1 numbers.

The bound also keeps recursion by the prompt's formula, two indices a step, inside its limit.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 1_000, "n must be at most 1000, so that the answer stays small"
