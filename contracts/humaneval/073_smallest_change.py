"""Any "array arr of integers"; an empty one is a palindrome already."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(value) is int for value in arr), "every element of arr must be an integer"
