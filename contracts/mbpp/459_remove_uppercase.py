"""ASCII text: uppercase letters go, everything else stays.

The original drops digits, blanks and signs as well, which the words keep.
"""


def precondition(str1):
    assert type(str1) is str, "str1 must be a string"
    assert str1.isascii(), "every character must be ASCII: é may count as a letter or not"


def remove_uppercase(str1):
    return "".join(each for each in str1 if not each.isupper())
