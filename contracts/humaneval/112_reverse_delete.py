"""Any two strings: characters are compared one by one, whatever they are."""


def precondition(s, c):
    assert type(s) is str, "s must be a string"
    assert type(c) is str, "c must be a string"
