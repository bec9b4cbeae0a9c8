"""A string whose only whitespace is the plain space, which the first example leaves out."""


def precondition(str1):
    assert type(str1) is str, "str1 must be a string"
    assert all(char == " " or not char.isspace() for char in str1), (
        "whitespace must be plain spaces"
    )
