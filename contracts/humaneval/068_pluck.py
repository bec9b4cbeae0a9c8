"""A list of at most 10000 non-negative integers, "0 <= node.value"; it may be empty.

The constraint "1 <= nodes.length" yields to the words on an empty array and to example 3.
"""


def precondition(arr):
    assert type(arr) is list and len(arr) <= 10000, "arr must be a list of at most 10000 elements"
    assert all(type(node) is int and node >= 0 for node in arr), (
        "every element of arr must be a non-negative integer"
    )
