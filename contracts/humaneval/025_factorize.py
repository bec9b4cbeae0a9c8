"""A positive integer; 1 is the product of no prime factors ("equal to the product")."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 10**11, "n must be at most 10**11, so that trial division finishes"
    largest, divisor = n, 2
    while divisor * divisor <= largest:
        if largest % divisor == 0:
            largest //= divisor
        else:
            divisor += 1
    # The prompt asks for no fast way: trying divisors one by one until 1 is left has to finish.
    assert largest <= 2_000_000, "prime factors must be at most 2000000, so that a loop finishes"
