"""Any list of strings and any substring; every string contains the empty one."""


def precondition(strings, substring):
    assert type(strings) is list, "strings must be a list"
    assert all(type(x) is str for x in strings), "every element of strings must be a string"
    assert type(substring) is str, "substring must be a string"
