"""A string of printable ASCII without spaces and underscores, at least one.

Whether spaces around an integer, and `1_000`, are allowed is open; so is the answer for an empty
string.
"""


def precondition(text):
    assert type(text) is str and text, "text must be a string that is not empty"
    assert text.isascii() and text.isprintable(), "every character must be printable ASCII"
    assert " " not in text and "_" not in text, "text must hold no space and no underscore"
    assert not set(text[1:]) & set("+-"), "a sign must stand at the beginning"
