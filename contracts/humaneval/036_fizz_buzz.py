"""A non-negative integer; the examples show that counting starts at 0, not below."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    # The prompt asks for no fast way: looking at every integer below n has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"
