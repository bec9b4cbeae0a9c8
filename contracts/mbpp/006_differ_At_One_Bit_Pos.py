"""Two integers: if one is negative, it must not matter how that is written in bits."""


def precondition(a, b):
    for number in (a, b):
        assert type(number) is int, "both must be integers"
    differing = a ^ b
    assert differing >= 0 or -differing & (-differing - 1), (
        "numbers of two signs must differ in more than one bit, with a sign and without"
    )
