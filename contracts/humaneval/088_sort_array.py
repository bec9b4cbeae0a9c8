"""A list of "non-negative integers", which may be empty (first example)."""


def precondition(array):
    assert type(array) is list, "array must be a list"
    assert all(type(value) is int and value >= 0 for value in array), (
        "every element of array must be a non-negative integer"
    )
