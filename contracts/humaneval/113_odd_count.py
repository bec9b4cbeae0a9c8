"""A list, possibly empty, of non-empty strings of ASCII digits ("consists of only digits").

An empty string has no digit to consist of, and a program may read each string as a number.
"""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(s) is str for s in lst), "every element of lst must be a string"
    assert all(s.isascii() and s.isdigit() for s in lst), (
        "every element of lst must be one or more digits 0-9"
    )
