"""A "list of integers", possibly empty, that Python can write in decimal (at most 4300 digits).

The example settles negative numbers: the minus belongs to the first digit (-12 has -1 + 2 = 1).
"""


def precondition(nums):
    assert type(nums) is list, "nums must be a list"
    assert all(type(x) is int for x in nums), "every element of nums must be an integer"
    limit = 10**4300
    assert all(-limit < x < limit for x in nums), (
        "every element of nums must have at most 4300 digits"
    )
