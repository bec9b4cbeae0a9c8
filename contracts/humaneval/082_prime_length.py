"""Any string: only its length counts."""


def precondition(string):
    assert type(string) is str, "string must be a string"
