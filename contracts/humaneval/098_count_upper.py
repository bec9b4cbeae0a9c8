"""Any string whose capitals are ASCII; accented ones might or might not be vowels."""


def precondition(s):
    assert type(s) is str, "s must be a string"
    for char in s:
        has_lower = char.isupper() or char != char.lower()
        assert char.isascii() or not has_lower, "every upper-case character of s must be ASCII"
