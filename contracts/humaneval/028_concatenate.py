"""Any list of strings."""


def precondition(strings):
    assert type(strings) is list, "strings must be a list"
    assert all(type(x) is str for x in strings), "every element of strings must be a string"
