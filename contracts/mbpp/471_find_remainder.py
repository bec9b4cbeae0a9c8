"""A list of integers and a positive one: floats are rounded, in another way by each design."""


def precondition(arr, n):
    assert type(arr) is list and arr, "arr must be a list of at least one element"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    assert type(n) is int and n >= 1, "n must be a positive integer"
