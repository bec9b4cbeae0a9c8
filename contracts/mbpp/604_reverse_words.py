"""Words with a single plain space between: what becomes of more, the words do not say."""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert all(char == " " or not char.isspace() for char in s), "whitespace must be plain spaces"
    assert s == " ".join(s.split()), "there must be one space between words, and no other"
