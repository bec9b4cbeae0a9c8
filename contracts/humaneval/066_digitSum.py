"""Any ASCII text, the empty one included: what is summed are "ASCII codes"."""


def precondition(s):
    assert type(s) is str and s.isascii(), "s must be a string of ASCII characters"
