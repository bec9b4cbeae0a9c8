"""Printable ASCII text, the empty one included: the order is "based on ascii value".

Words are "separated by space", and "blank spaces" are kept; tabs and line ends are excluded since
the prompt does not say whether they are blanks or characters of a word.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert s.isascii() and s.isprintable(), "s must be made of printable ASCII characters only"
