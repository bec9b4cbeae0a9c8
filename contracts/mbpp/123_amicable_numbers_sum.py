"""A specified number, such that no pair of amicable numbers lies on both sides of it.

"From 1 to a specified number" leaves open whether 220 counts up to 250: it is within, its partner
284 is not. The bound is near the largest example; numbers below it are checked one by one.
"""

PAIRS = ((220, 284), (1184, 1210), (2620, 2924), (5020, 5564), (6232, 6368))


def precondition(limit):
    assert type(limit) is int and 1 <= limit <= 10_000, "limit must be an integer from 1 to 10000"
    assert not any(low <= limit < high for low, high in PAIRS), (
        "the two of a pair must both be at most limit, or both above it"
    )
