"""An integer of at most 32 bits and a number of bits that none of its own are rotated beyond.

What comes out on the left of 32 bits has to come in on the right; the reference keeps it there too.
"""


def precondition(n, d):
    assert type(n) is int and type(d) is int, "n and d must be integers"
    assert 0 <= d <= 31 and n >= 0, "d must be from 0 to 31 and n must not be negative"
    assert n << d < 2**32, "no bit that is set must leave on the left"
