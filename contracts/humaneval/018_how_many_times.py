"""Any string and any substring but the empty one, whose occurrences are a matter of convention."""


def precondition(string, substring):
    assert type(string) is str, "string must be a string"
    assert type(substring) is str and substring, "substring must be a non-empty string"
