"""An integer of at least two bits: a single one is both the first and the last."""


def precondition(n):
    assert type(n) is int and n >= 2, "n must be an integer of at least 2"
