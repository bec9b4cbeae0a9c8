"""A string whose only whitespace is the plain space, as in the examples.

"Whitespaces" names other kinds as well, but an underscore can become only one kind again.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char == " " or not char.isspace() for char in text), (
        "whitespace must be plain spaces"
    )
