"""A list of integers that are not all zero: there is no ratio to no element."""


def precondition(nums):
    assert type(nums) is list, "nums must be a list"
    assert all(type(x) is int for x in nums), "every element must be an integer"
    assert any(nums), "an element must not be zero"
