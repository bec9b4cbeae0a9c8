"""Any integer that Python can write in decimal (at most 4300 digits)."""


def precondition(num):
    assert type(num) is int, "num must be an integer"
    assert abs(num) < 10**4300, "num must have at most 4300 digits"
