"""A list of integers, possibly empty; "first and last digits" of a float are not settled."""


def precondition(nums):
    assert type(nums) is list, "nums must be a list"
    assert all(type(x) is int for x in nums), "every element of nums must be an integer"
    # Python refuses to write longer integers in decimal.
    limit = 10**4300
    assert all(-limit < x < limit for x in nums), (
        "every element of nums must have at most 4300 digits"
    )
