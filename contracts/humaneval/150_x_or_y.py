"""Any integer n up to 2000000, and numbers or strings to choose from.

No integer below 2 is "a prime number".
"""

import math


def precondition(n, x, y):
    assert type(n) is int, "n must be an integer"
    # The prompt asks for no fast way: trying every number below n has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"
    for value in (x, y):
        assert type(value) in (int, float, str), "x and y must be numbers or strings"
        assert type(value) is not float or math.isfinite(value), "x and y must be finite"


# The original takes zero and negative numbers for primes.
def x_or_y(n, x, y):
    if n < 2:
        return y
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return y
        divisor += 1
    return x
