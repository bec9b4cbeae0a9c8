"""A "positive integer n" up to 300, so that a plain count of all triples ends in a second."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert n <= 300, "n must be at most 300"
