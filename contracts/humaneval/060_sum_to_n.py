"""A positive count n of the "numbers from 1 to n".

Below 1 there are no such numbers: a program may refuse them, and a formula disagrees with a loop.
"""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    # Adding one by one, the prompt's own words, has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"


# The original adds one by one: 25 ms at the bound.
def sum_to_n(n):
    return n * (n + 1) // 2
