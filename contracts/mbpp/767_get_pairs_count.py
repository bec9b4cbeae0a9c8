"""A list of integers and an integer: sums of floats are rounded."""


def precondition(arr, sum_):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in (*arr, sum_)), "sum_ and every element must be an integer"
