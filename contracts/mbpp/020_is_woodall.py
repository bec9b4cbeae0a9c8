"""An integer. The original halves by way of floats, and is exact up to 53 bits only."""


def precondition(x):
    assert type(x) is int and abs(x) < 10**60, "x must be an integer of at most 60 digits"


def is_woodall(x):
    n = 1
    while n * 2**n - 1 < x:
        n += 1
    return n * 2**n - 1 == x
