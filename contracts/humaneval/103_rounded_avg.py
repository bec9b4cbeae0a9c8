"""Two "positive integers", with n above m allowed.

Which way halves are rounded is settled: the example 26.5 gives 26, so not up, and the original
tests have 705.5 give 706, so not down. Half to even does both.
"""


def precondition(n, m):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert type(m) is int and m > 0, "m must be a positive integer"
    # The prompt asks for no fast way: adding up the range has to finish.
    assert m - n <= 2_000_000, "m must be at most n + 2000000, so that a plain loop finishes"
    # A float still holds halves at this size, and sums of the range.
    assert max(n, m) <= 2**50, "n and m must be at most 2**50"


# The original adds up the range: 25 ms for a million numbers.
def rounded_avg(n, m):
    if n > m:
        return -1
    return bin(round((n + m) / 2))
