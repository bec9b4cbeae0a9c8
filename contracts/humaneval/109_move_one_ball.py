"""A list of integers "guaranteed to have unique elements"; it may be empty."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(value) is int for value in arr), "every element of arr must be an integer"
    assert len(set(arr)) == len(arr), "the elements of arr must differ from each other"
