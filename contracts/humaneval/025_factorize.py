"""A positive integer; 1 is the product of no prime factors ("equal to the product").

The prompt asks for no fast way: going through all numbers up to n has to finish.
"""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"
