"""Two integers other than zero, which has no sign to be the opposite of."""


def precondition(x, y):
    for number in (x, y):
        assert type(number) is int and number != 0, "both must be integers other than zero"
