"""A string of ASCII digits, short enough to add up the digits of every substring."""


def precondition(s):
    assert type(s) is str and s, "s must be a string that is not empty"
    assert set(s) <= set("0123456789"), "every character must be a digit"
    assert len(s) <= 150, "s must be of at most 150 digits, so that adding up each part finishes"
