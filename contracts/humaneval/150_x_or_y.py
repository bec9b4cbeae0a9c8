"""Any integer n up to 1000000, and numbers or strings to choose from.

No integer below 2 is "a prime number". The bound lets plain trial division end in a moment.
"""

import math


def precondition(n, x, y):
    assert type(n) is int, "n must be an integer"
    assert n <= 1_000_000, "n must be at most 1000000"
    for value in (x, y):
        assert type(value) in (int, float, str), "x and y must be numbers or strings"
        assert type(value) is not float or math.isfinite(value), "floats must be finite"


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
