"""ASCII text, the empty one included: the order is "based on ascii value".

Words are "separated by space": a tab or a line end is a character of a word like any other.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert s.isascii(), "s must be made of ASCII characters only"
