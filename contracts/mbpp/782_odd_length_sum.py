"""A list of integers, short enough to add up the elements of every subarray."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    assert len(arr) <= 150, "arr must be of at most 150 elements, so that a plain loop finishes"
