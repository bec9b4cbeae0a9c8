"""A non-negative integer: "starting from 0 upto n inclusive" has no plain reading below 0."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    # Two million numbers are a string of 15 MB; the answer grows without end.
    assert n <= 2_000_000, "n must be at most 2000000, to keep the answer's size reasonable"
