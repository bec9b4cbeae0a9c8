"""Any string."""


def precondition(string):
    assert type(string) is str, "string must be a string"
