"""Any "array of integers", the empty one included (first example)."""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(value) is int for value in arr), "every element of arr must be an integer"
    # Python writes out no longer integers.
    limit = 10**4300
    assert all(-limit < value < limit for value in arr), (
        "every element of arr must have at most 4300 digits"
    )
