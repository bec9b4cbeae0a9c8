"""ASCII text whose only whitespace is the space: a word is "separated by space", not by a tab."""


def precondition(txt):
    assert type(txt) is str, "txt must be a string"
    assert txt.isascii(), "txt must be ASCII"
    assert all(ch == " " or not ch.isspace() for ch in txt), (
        "txt must have no whitespace but plain spaces"
    )
