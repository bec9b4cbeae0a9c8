"""A list of integers and its length: the words name no other number."""


def precondition(arr, n):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in arr), "every element of arr must be an integer"
    assert type(n) is int and n == len(arr), "n must be the length of arr"
