"""A list of "non-negative integers".

The prompt's example with negative numbers contradicts these words, and nothing says how many ones a
negative number has.
"""


def precondition(arr):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int for x in arr), "every element of arr must be an integer"
    assert all(x >= 0 for x in arr), "every element of arr must be non-negative"
