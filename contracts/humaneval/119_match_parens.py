"""A "list of two strings" made of parentheses "only"; an empty string has none out of balance."""


def precondition(lst):
    assert type(lst) is list and len(lst) == 2, "lst must be a list of two elements"
    assert all(type(s) is str for s in lst), "elements must be strings"
    assert all(ch in "()" for s in lst for ch in s), "strings must contain only '(' and ')'"
