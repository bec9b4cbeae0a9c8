"""A "list of two strings" made of parentheses "only"; an empty string has none out of balance."""


def precondition(lst):
    assert type(lst) is list and len(lst) == 2, "lst must be a list of two elements"
    assert all(type(s) is str for s in lst), "every element of lst must be a string"
    assert all(char in "()" for s in lst for char in s), (
        "every element of lst must be made of '(' and ')' only"
    )
