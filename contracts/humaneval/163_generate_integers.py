"""Any "two positive integers", in either order (by the example)."""


def precondition(a, b):
    assert type(a) is int and a > 0, "a must be a positive integer"
    assert type(b) is int and b > 0, "b must be a positive integer"
    # The prompt asks for no fast way: going from a to b one by one has to finish.
    assert abs(a - b) <= 2_000_000, (
        "a and b must be at most 2000000 apart, so that a plain loop finishes"
    )
