"""Any string; the example leaves the empty prefix out, so the empty string has none."""


def precondition(string):
    assert type(string) is str, "string must be a string"
