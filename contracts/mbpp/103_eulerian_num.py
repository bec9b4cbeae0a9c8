"""Two non-negative integers, not both zero, the first small enough for plain recursion.

A(0, 0) is 1 to some and 0 to others.
"""


def precondition(n, m):
    assert type(n) is int and 0 <= n <= 18, "n must be an integer from 0 to 18"
    assert type(m) is int and m >= 0, "m must be a non-negative integer"
    assert n or m, "n and m must not both be 0"
