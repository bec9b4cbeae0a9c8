"""A non-negative integer: "each character ... will be '0' or '1'" leaves no room for a sign."""


def precondition(decimal):
    assert type(decimal) is int and decimal >= 0, "decimal must be a non-negative integer"
