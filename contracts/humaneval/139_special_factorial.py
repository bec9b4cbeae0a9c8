"""An integer "n > 0", bounded because the answer at n = 512 already has 900000 bits."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert n <= 512, "n must be at most 512, to keep the answer small enough to handle"
