"""A list, possibly empty, of non-empty strings of ASCII digits ("consists of only digits").

An empty string has no digit to consist of, and a program may read each string as a number.
"""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(s) is str for s in lst), "elements must be strings"
    assert all(s.isascii() and s.isdigit() for s in lst), (
        "every string must consist of one or more digits 0-9"
    )
