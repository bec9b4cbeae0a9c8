"""A string without whitespace but the space: a word is "separated by space", not by a tab.

Whether a last 'é' is "an alphabetical character" the prompt does not say.
"""


def precondition(txt):
    assert type(txt) is str, "txt must be a string"
    assert all(char == " " or not char.isspace() for char in txt), (
        "txt must have no whitespace other than plain spaces"
    )
    assert txt == "" or txt[-1].isascii() or not txt[-1].isalpha(), (
        "the last character must not be a letter outside ASCII"
    )
