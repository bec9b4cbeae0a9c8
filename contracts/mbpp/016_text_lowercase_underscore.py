"""Printable ASCII text that is not empty.

"Lowercase letters" of other alphabets are letters to some only, and a line end after the last
letter is overlooked by the usual expression.
"""


def precondition(text):
    assert type(text) is str and text, "text must be a string that is not empty"
    assert text.isascii() and text.isprintable(), "every character must be printable ASCII"
