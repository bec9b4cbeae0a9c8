"""An integer with "n > 1 and is not a prime", said in the prompt."""

from math import isqrt


def precondition(n):
    assert type(n) is int and n > 1, "n must be an integer above 1"
    # The prompt asks for no fast way: trying every number up to n has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"
    assert any(n % divisor == 0 for divisor in range(2, isqrt(n) + 1)), "n must not be a prime"


# The original tries every number up to n: 60 ms at the bound.
def largest_prime_factor(n):
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            n //= divisor
        else:
            divisor += 1
    return n
