"""ASCII text without capitals: it is "the letters" that "shift", and a space or a digit is none.

What becomes of capitals is open: to shift them too, to keep them, or to make them small.
"""


def precondition(s):
    assert type(s) is str and s.isascii(), "s must be a string of ASCII characters"
    assert not any(char.isupper() for char in s), "s must have no capital letters"
