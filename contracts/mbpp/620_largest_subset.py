"""Positive integers in ascending order, where no pair among them is missed.

The reference looks for a chain in the order given: in any other a chain may hold a pair that does
not divide.
"""


def precondition(a):
    assert type(a) is list and len(a) >= 2, "a must be a list of at least two elements"
    assert all(type(x) is int and x > 0 for x in a), "every element must be a positive integer"
    assert len(a) <= 300, "a must be of at most 300 elements, so that comparing all finishes"
    assert _chain(a) == _chain(sorted(a)), "the longest chain must be as it is in sorted order"


def _chain(a):
    best = [1] * len(a)
    for at in range(len(a) - 2, -1, -1):
        for other in range(at + 1, len(a)):
            if a[other] % a[at] == 0 or a[at] % a[other] == 0:
                best[at] = max(best[at], 1 + best[other])
    return max(best)
