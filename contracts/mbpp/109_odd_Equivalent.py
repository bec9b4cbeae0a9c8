"""A binary string, and how often it is rotated, such that it does not matter which way.

A binary number is odd if its last digit is 1. The words do not say in which way it rotates,
nor whether the string counts as it was.
"""


def precondition(s, n):
    assert type(s) is str and s and set(s) <= {"0", "1"}, "s must be a string of 0s and 1s"
    assert type(n) is int and 0 <= n <= len(s), "n must be an integer from 0 to the length of s"
    readings = (s[:n], s[len(s) - n :], (s[-1] + s)[:n], (s[-1] + s)[::-1][1 : n + 1])
    assert len({each.count("1") for each in readings}) == 1, (
        "the count must be the same for both directions"
    )
