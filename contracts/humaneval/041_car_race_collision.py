"""A number of cars: a non-negative integer; no cars do not collide."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
