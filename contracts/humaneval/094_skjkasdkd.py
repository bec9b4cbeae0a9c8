"""A list of integers with at least one prime, since "the largest prime value" must exist.

Zero, negative numbers and repeats are no primes or change nothing.
"""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(value) is int for value in lst), "every element of lst must be an integer"
    # The prompt asks for no fast way: trial division up to the root has to finish.
    assert all(value <= 10**11 for value in lst), (
        "every element of lst must be at most 10**11, so that trial division finishes"
    )
    assert any(_is_prime(value) for value in lst), "lst must have a prime among its elements"


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


# The original divides by every number up to the root: 10 ms for each prime near the bound.
def skjkasdkd(lst):
    largest = max((value for value in lst if _is_prime(value)), default=0)
    return sum(int(digit) for digit in str(largest))
