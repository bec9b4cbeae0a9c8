"""A string of English letters: the reference drops other characters as well."""


def precondition(str1):
    assert type(str1) is str, "str1 must be a string"
    assert str1.isascii() and (str1.isalpha() or not str1), (
        "every character must be an English letter"
    )
