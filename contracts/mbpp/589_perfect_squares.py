"""Two integers, the first not above the second, near enough to try each number between them."""


def precondition(a, b):
    for number in (a, b):
        assert type(number) is int and abs(number) <= 1_000_000, (
            "both must be integers of at most 1000000"
        )
    assert a <= b, "a must be at most b"
