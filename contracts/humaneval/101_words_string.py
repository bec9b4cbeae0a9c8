"""Any text whose only white space is the plain space: words are "separated by commas or spaces".

The first example has a comma and a space between two words, so no empty words are returned.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert not any(char.isspace() and char != " " for char in s), (
        "s must have no whitespace other than plain spaces"
    )
