"""A string with plain spaces or with underscores, not with both, as in the examples.

"Replace whitespaces with an underscore and vice versa" leaves open whether both are exchanged in
one string, or whichever it has is replaced. Other kinds of whitespace would not come back.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char == " " or not char.isspace() for char in text), (
        "whitespace must be plain spaces"
    )
    assert not (" " in text and "_" in text), "text must not hold both spaces and underscores"
