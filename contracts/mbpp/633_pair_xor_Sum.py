"""A list of non-negative integers of at most 31 bits, and its length.

How the sign of a number is xored depends on how wide numbers are, of which the words say nothing:
programs that add up bit by bit take the usual 32. "All pairs of numbers in the given list" leaves
none out, so n can only be the list's length, as in the examples.
"""


def precondition(arr, n):
    assert type(arr) is list, "arr must be a list"
    assert all(type(x) is int and 0 <= x < 2**31 for x in arr), (
        "every element of arr must be an integer from 0 to 2**31 - 1"
    )
    assert type(n) is int and n == len(arr), "n must be the length of arr"
