"""An integer of at most 53 bits, as the reference halves by way of floats."""


def precondition(x):
    assert type(x) is int and abs(x) < 2**53, "x must be an integer of at most 53 bits"
