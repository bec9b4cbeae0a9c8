"""A count n of the "numbers from 1 to n"; for 0 there are none and every method gives 0.

A negative n has no numbers from 1 to n, and a formula would disagree with a loop.
The bound keeps adding one by one, the prompt's own words, in time.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 10**7, "n must be at most ten million"
