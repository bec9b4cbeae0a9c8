"""At least one tuple of numbers, all of one length, with one number or more.

"The average value for each tuple" is, in the examples, that of each place in all of them.
"""

import math


def precondition(nums):
    assert type(nums) is tuple and nums, "nums must be a tuple of at least one tuple"
    assert all(type(row) is tuple and row for row in nums), (
        "every element must be a tuple of at least one number"
    )
    assert len({len(row) for row in nums}) == 1, "the tuples must be of one length"
    for number in (number for row in nums for number in row):
        is_number = type(number) is int or (type(number) is float and math.isfinite(number))
        assert is_number and abs(number) < 1e300, "every number must be finite and below 1e300"
