"""A number and words of letters and digits with plain spaces between.

Whether marks belong to words, and other blanks separate them, is open.
"""


def precondition(n, s):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert type(s) is str, "s must be a string"
    assert all(char.isalnum() or char == " " for char in s), (
        "every character must be a letter, a digit or a plain space"
    )
