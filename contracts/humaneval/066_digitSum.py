"""Any string whose upper-case characters are ASCII: what is summed are "ASCII codes"."""


def precondition(s):
    assert type(s) is str, "s must be a string"
    for char in s:
        has_lower = char.isupper() or char != char.lower()
        assert char.isascii() or not has_lower, "every upper-case character of s must be ASCII"
