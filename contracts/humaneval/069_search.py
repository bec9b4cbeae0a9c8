"""A "non-empty list of positive integers".

The bound on the values lets a program keep a table of frequencies with an entry for every value.
"""


def precondition(lst):
    assert type(lst) is list and lst, "lst must be a non-empty list"
    assert all(type(value) is int and value > 0 for value in lst), (
        "every element of lst must be a positive integer"
    )
    assert max(lst) <= 10**6, (
        "every element of lst must be at most 1000000, so that a table by value fits"
    )
