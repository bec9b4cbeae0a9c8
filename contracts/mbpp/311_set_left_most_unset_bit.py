"""A positive integer: one of which all bits are set stays as it is, by an example (15)."""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
