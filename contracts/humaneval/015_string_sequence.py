"""A non-negative integer: "starting from 0 upto n inclusive" has no plain reading below 0."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    # The answer grows with n: 49 kB at 10000.
    assert n <= 10_000, "n must be at most 10000, so that the answer stays small"
