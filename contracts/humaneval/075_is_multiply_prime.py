"""Any integer "less then 100": a program may rest on that bound, as a table of the answers does.

Zero and negative numbers are no product of primes, so their answer is settled.
"""


def precondition(a):
    assert type(a) is int and a < 100, "a must be an integer below 100"


# The original tries all triples of primes below 101: 35 ms for every number that has none.
def is_multiply_prime(a):
    factors = 0
    divisor = 2
    while a > 1:
        if a % divisor == 0:
            a //= divisor
            factors += 1
        else:
            divisor += 1
    return factors == 3
