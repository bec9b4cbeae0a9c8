"""A size n, 0 included: "a list of size n" is then empty.

The bound keeps a recursive factorial inside the recursion limit.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 300, "n must be at most 300, so that a recursive factorial stays within its limit"
