"""A list of non-negative integers: "Assume no negative numbers and only integers"."""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(x) is int for x in lst), "elements must be integers"
    assert all(x >= 0 for x in lst), "elements must be non-negative"
