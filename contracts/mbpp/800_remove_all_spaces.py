"""A string whose only whitespace is the plain space: other kinds are whitespace to some only.

"Remove all whitespaces" names them all; the reference and MBPP+'s tests remove spaces, so that
every program which passes these would fail.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char == " " or not char.isspace() for char in text), (
        "whitespace must be plain spaces"
    )
