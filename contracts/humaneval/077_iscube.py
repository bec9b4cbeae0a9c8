"""Any integer whose cube root, taken in double precision, still rounds to the right integer.

The bound keeps a**(1/3), the usual way to a root, a right one.
"""


def precondition(a):
    assert type(a) is int, "a must be an integer"
    assert abs(a) <= 10**40, "a must be at most 10**40 in size, so that a**(1/3) rounds right"
