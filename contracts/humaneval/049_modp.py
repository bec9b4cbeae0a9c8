"""A non-negative exponent and a positive modulus; modulo 1 everything is 0.

A negative power is no integer, and the sign of a remainder by a negative p is not said.
"""


def precondition(n, p):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert type(p) is int and p >= 1, "p must be a positive integer"
    # Doubling n times, as the original does, is right too and has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"


# The original gave 1 for n = 0 and p = 1, where the remainder is 0.
def modp(n, p):
    return pow(2, n, p)
