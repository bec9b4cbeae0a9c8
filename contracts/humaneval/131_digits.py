"""A "positive integer n" that Python can write in decimal (at most 4300 digits)."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert n < 10**4300, "n must have at most 4300 digits"
