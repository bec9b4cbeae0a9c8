"""A tuple of at least two integers, below 10**15, and its length."""


def precondition(arr, n):
    assert type(arr) is tuple and len(arr) >= 2, "arr must be a tuple of at least two elements"
    assert all(type(x) is int and abs(x) < 10**15 for x in arr), (
        "every element must be an integer below 10**15"
    )
    assert type(n) is int and n == len(arr), "n must be the length of arr"
