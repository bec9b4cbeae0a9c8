"""A "non-empty list of positive integers"."""

from collections import Counter


def precondition(lst):
    assert type(lst) is list and lst, "lst must be a non-empty list"
    assert all(type(value) is int and value > 0 for value in lst), (
        "every element of lst must be a positive integer"
    )
    # A table of frequencies with an entry for every value up to the largest is a fair way.
    assert max(lst) <= 10**6, (
        "every element of lst must be at most 1000000, so that a table by value fits"
    )


# The original keeps a table with an entry for every value up to the largest: 20 ms at the bound.
def search(lst):
    frequent = [value for value, count in Counter(lst).items() if count >= value]
    return max(frequent, default=-1)
