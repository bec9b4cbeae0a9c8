"""ASCII digits with two digits after a dot or more, or what is no number at all.

Whether 123 and 123.1 are decimal numbers "with a precision of 2" is open; signs, exponents and
spaces too.
"""

import re


def precondition(num):
    assert type(num) is str and len(num) <= 3000, "num must be a string of at most 3000 characters"
    assert num.isascii() and num.isprintable(), "every character must be printable ASCII"
    if re.fullmatch("[0-9]+[.][0-9][0-9]+", num):
        return
    try:
        float(num)
    except ValueError:
        return
    raise AssertionError("num must be digits, a dot and two digits or more, or no number")
