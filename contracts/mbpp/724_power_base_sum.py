"""Two non-negative integers whose power is short enough to be written out."""


def precondition(base, power):
    for number in (base, power):
        assert type(number) is int and number >= 0, "both must be non-negative integers"
    assert base.bit_length() * power <= 14_000, "the power must be of at most 14000 bits"
