"""A list of integers, possibly empty."""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(x) is int for x in lst), "every element of lst must be an integer"
