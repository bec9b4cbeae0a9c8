"""Three integers, as in the examples; whether the answer for others is rounded is open."""


def precondition(a, b, c):
    for number in (a, b, c):
        assert type(number) is int, "all three must be integers"
