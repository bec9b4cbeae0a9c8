"""Any "array of integers"; those outside 1 to 9 are ignored as "strange"."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(value) is int for value in arr), "every element of arr must be an integer"
