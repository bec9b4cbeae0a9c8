"""A list of integers with an odd number at an even index, or odd numbers at all odd ones.

The words ask for even numbers at even indices, the reference for odd ones at odd indices as well.
"""


def precondition(nums):
    assert type(nums) is list, "nums must be a list"
    assert all(type(x) is int for x in nums), "every element must be an integer"
    assert any(x % 2 for x in nums[::2]) or all(x % 2 for x in nums[1::2]), (
        "every odd index must have an odd number if every even one has an even number"
    )
