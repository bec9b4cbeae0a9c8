"""A list of integers with at least one prime, since "the largest prime value" must exist.

Zero, negative numbers and repeats are no primes or change nothing. The bound keeps testing for a
prime by trial division, which nothing in the prompt forbids, in time.
"""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(value) is int for value in lst), "every element must be an integer"
    assert all(value <= 10**12 for value in lst), "every element must be at most 10**12"
    assert any(_is_prime(value) for value in lst), "lst must hold a prime"


def _is_prime(n):
    # Miller-Rabin: trial division would be too slow here. These bases decide all n below 3.4e14
    # (Jaeschke, "On strong pseudoprimes to several bases").
    bases = (2, 3, 5, 7, 11, 13, 17)
    if n < 2:
        return False
    if any(n % base == 0 for base in bases):
        return n in bases
    odd, halvings = n - 1, 0
    while odd % 2 == 0:
        odd, halvings = odd // 2, halvings + 1
    for base in bases:
        power = pow(base, odd, n)
        squares = [pow(power, 2**i, n) for i in range(halvings)]
        if power != 1 and n - 1 not in squares:
            return False
    return True
