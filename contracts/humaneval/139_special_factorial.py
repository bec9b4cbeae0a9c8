"""An integer "n > 0", bounded because the answer at n = 200 already has 111000 bits."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert n <= 200, "n must be at most 200, so that the answer stays small"
