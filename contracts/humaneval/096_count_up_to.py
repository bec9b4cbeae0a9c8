"""A "non-negative integer" n, above all primes returned.

The bound keeps dividing by every smaller number, which nothing in the prompt forbids, in time.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 10000, "n must be at most 10000, so that dividing by every smaller number finishes"


# The original divides every number by all smaller ones: correct, but slow for n in the thousands.
def count_up_to(n):
    primes = []
    for candidate in range(2, n):
        for prime in primes:
            if prime * prime > candidate:
                primes.append(candidate)
                break
            if candidate % prime == 0:
                break
        else:
            primes.append(candidate)
    return primes
