"""A string whose only whitespace is the plain space: other kinds are whitespace to some only.

"Remove all whitespaces" names them all; the reference and MBPP+'s tests remove spaces, so that
every program which passes these would fail.
"""


def precondition(text1):
    assert type(text1) is str, "text1 must be a string"
    assert all(char == " " or not char.isspace() for char in text1), (
        "whitespace must be plain spaces"
    )
