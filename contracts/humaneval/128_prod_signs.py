"""A list of integers, possibly empty: "return None for empty arr"."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in arr), "every element of arr must be an integer"
