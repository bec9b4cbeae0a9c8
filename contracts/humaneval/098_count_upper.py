"""Any ASCII text, the empty one included; accented capitals might or might not be vowels."""


def precondition(s):
    assert type(s) is str and s.isascii(), "s must be a string of ASCII characters"
