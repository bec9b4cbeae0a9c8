"""A non-empty list of integers: "any non-empty sub-array" exists in no empty list."""


def precondition(nums):
    assert type(nums) is list, "nums must be a list"
    assert all(type(x) is int for x in nums), "every element of nums must be an integer"
    assert nums, "nums must be non-empty"
