"""Any "array of integers", the empty one included (first example)."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(value) is int for value in arr), "every element must be an integer"
