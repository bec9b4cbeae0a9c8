"""Any list of strings and any prefix; every string starts with the empty one."""


def precondition(strings, prefix):
    assert type(strings) is list, "strings must be a list"
    assert all(type(x) is str for x in strings), "every element of strings must be a string"
    assert type(prefix) is str, "prefix must be a string"
