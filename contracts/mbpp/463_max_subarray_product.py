"""A list of integers, short enough to multiply the elements of every subarray."""


def precondition(arr):
    assert type(arr) is list and arr, "arr must be a list of at least one element"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    assert len(arr) <= 100, "arr must be of at most 100 elements, so that a plain search finishes"
