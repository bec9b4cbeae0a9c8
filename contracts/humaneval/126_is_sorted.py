"""A list of non-negative integers: "Assume no negative numbers and only integers"."""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(x) is int for x in lst), "every element of lst must be an integer"
    assert all(x >= 0 for x in lst), "every element of lst must be non-negative"
