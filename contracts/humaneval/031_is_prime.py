"""Any integer; below 2 none is prime (the example of 1, and the word's meaning)."""


def precondition(n):
    assert type(n) is int, "n must be an integer"
    # The prompt asks for no fast way: trying every number below n has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"


# The original tries every smaller number: 60 ms for a large prime.
def is_prime(n):
    if n < 2:
        return False
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 1
    return True
