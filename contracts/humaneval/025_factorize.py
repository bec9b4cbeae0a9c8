"""A positive integer; 1 is the product of no prime factors ("equal to the product")."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 10**11, "n must be at most 10**11, so that trial division finishes"
    largest, divisor = n, 2
    while divisor * divisor <= largest and largest > 2_000_000:
        if largest % divisor == 0:
            largest //= divisor
        else:
            divisor += 1 if divisor == 2 else 2
    # The prompt asks for no fast way: trying divisors one by one until 1 is left has to finish.
    assert largest <= 2_000_000, (
        "every prime factor of n must be at most 2000000, so that a plain loop finishes"
    )


# The original takes a root at every step, and all even divisors: 60 ms for a product of two primes.
def factorize(n):
    factors = []
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        else:
            divisor += 1 if divisor == 2 else 2
    if n > 1:
        factors.append(n)
    return factors
