"""Any two integers; for negative ones the example multiply(14,-15) = 20 drops the sign."""


def precondition(a, b):
    assert type(a) is int and type(b) is int, "a and b must be integers"
    # Python writes out no longer integer, and the last digit may be taken that way.
    assert abs(a) < 10**4300 and abs(b) < 10**4300, "a and b must have at most 4300 digits"


# The original takes abs(a % 10): for a negative a that is no unit digit, since -14 % 10 is 6.
def multiply(a, b):
    return (abs(a) % 10) * (abs(b) % 10)
