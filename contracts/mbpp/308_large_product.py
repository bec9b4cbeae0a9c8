"""Two lists of numbers and how many products are wanted, the first of which are all different.

Whether two pairs of factors with one product count once or twice the words do not say: within what
is wanted, and at its end, no product comes twice.
"""

import math


def precondition(nums1, nums2, N):
    for numbers in (nums1, nums2):
        assert type(numbers) is list, "nums1 and nums2 must be lists"
        assert all(type(x) is int or (type(x) is float and math.isfinite(x)) for x in numbers), (
            "every element must be a finite number"
        )
    assert type(N) is int and 1 <= N <= len(nums1) * len(nums2), (
        "N must be an integer from 1 to the number of products"
    )
    first = sorted((x * y for x in nums1 for y in nums2), reverse=True)[: N + 1]
    assert len(set(first)) == len(first), "the largest products must all differ"
