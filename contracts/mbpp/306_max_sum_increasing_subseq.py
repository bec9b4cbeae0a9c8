"""A list of positive integers, its length, and two indices of it, the first before the second.

The examples say that the element at the first index may belong to the subsequence.
"""


def precondition(a, n, index, k):
    assert type(a) is list, "a must be a list"
    assert all(type(x) is int and x > 0 for x in a), "every element must be a positive integer"
    assert type(n) is int and n == len(a), "n must be the length of a"
    for place in (index, k):
        assert type(place) is int, "index and k must be integers"
    assert 0 <= index < k < n, "index must be less than k, and k less than n"
