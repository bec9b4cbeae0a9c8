"""A list of integers, one of them positive: whether a subsequence may be empty is open."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    assert any(x > 0 for x in arr), "an element must be positive"
