"""A string whose only whitespace is the plain space: other kinds are whitespace to some only.

"Remove all whitespaces" names them all; the reference removes spaces.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char == " " or not char.isspace() for char in text), (
        "whitespace must be plain spaces"
    )
