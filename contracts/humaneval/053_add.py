"""Any two integers."""


def precondition(x, y):
    assert type(x) is int and type(y) is int, "x and y must be integers"
