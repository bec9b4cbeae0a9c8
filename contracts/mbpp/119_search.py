"""A sorted list of integers that come twice each, but for one: as in all examples."""


def precondition(arr):
    assert type(arr) is list and len(arr) % 2, "arr must be a list of an odd number of elements"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    assert arr == sorted(arr), "arr must be sorted"
    counts = sorted(arr.count(x) for x in set(arr)) if len(arr) < 200 else _counts(arr)
    assert counts == [1] + [2] * (len(counts) - 1), "all elements but one must come twice"


def _counts(arr):
    found = {}
    for x in arr:
        found[x] = found.get(x, 0) + 1
    return sorted(found.values())
