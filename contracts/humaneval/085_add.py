"""A "non-empty list of integers", of either sign."""


def precondition(lst):
    assert type(lst) is list and lst, "lst must be a non-empty list"
    assert all(type(value) is int for value in lst), "every element of lst must be an integer"
