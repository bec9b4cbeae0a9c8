"""A string that is not empty: of no characters the words say nothing."""


def precondition(s):
    assert type(s) is str and s, "s must be a string that is not empty"
