"""A string of hexadecimal digits: "always correct or empty string", letters "always uppercase"."""


def precondition(num):
    assert type(num) is str, "num must be a string"
    assert set(num) <= set("0123456789ABCDEF"), "num must be made of the digits 0-9 and A-F only"
