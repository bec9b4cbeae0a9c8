"""A list of integers with one pair of the highest product, of two different numbers.

"A pair" leaves the order of the two open, and which one if there are several.
"""


def precondition(arr):
    assert type(arr) is list and len(arr) >= 2, "arr must be a list of at least two elements"
    assert all(type(x) is int for x in arr), "every element must be an integer"
    ends = sorted(arr)[:3] + sorted(arr)[-3:] if len(arr) > 6 else arr
    pairs = [(x, y) for at, x in enumerate(ends) for y in ends[at + 1 :]]
    best = max(x * y for x, y in pairs)
    found = {frozenset(pair) for pair in pairs if pair[0] * pair[1] == best}
    assert len(found) == 1, "the highest product must be that of one pair"
    assert all(len(pair) == 2 for pair in found), "the two numbers of the pair must differ"


def check(inputs, output, expected):
    """The pair in either order."""
    return (
        type(output) is tuple
        and len(output) == 2
        and all(type(each) is int for each in output)
        and sorted(output) == sorted(expected)
    )
