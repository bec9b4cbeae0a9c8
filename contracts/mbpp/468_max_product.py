"""A list of positive integers: how products of negative ones count in a run is open.

An increasing subsequence is one of neighbours, by the examples.
"""


def precondition(arr):
    assert type(arr) is list and arr, "arr must be a list of at least one element"
    assert all(type(x) is int and x > 0 for x in arr), "every element must be a positive integer"
