"""An integer of at least three digits: one or two cannot rise and fall again."""


def precondition(n):
    assert type(n) is int and 100 <= n < 10**4000, "n must be an integer of 3 to 4000 digits"
