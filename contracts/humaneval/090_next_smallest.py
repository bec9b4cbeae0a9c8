"""Any list of integers; the examples settle the empty list and repeated values."""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(value) is int for value in lst), "every element of lst must be an integer"
