"""A list of integers, not all negative, and its length.

The words name no other number, and do not say whether a sublist may be empty.
"""


def precondition(a, size):
    assert type(a) is list, "a must be a list"
    assert all(type(x) is int for x in a), "every element of a must be an integer"
    assert any(x >= 0 for x in a), "an element must not be negative"
    assert type(size) is int and size == len(a), "size must be the length of a"
