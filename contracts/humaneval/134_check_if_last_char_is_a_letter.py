"""Any string: a word is "a group of characters separated by space", so a tab separates nothing.

Whether a last 'é' is "an alphabetical character" the prompt does not say.
"""


def precondition(txt):
    assert type(txt) is str, "txt must be a string"
    assert txt == "" or txt[-1].isascii() or not txt[-1].isalpha(), (
        "the last character must not be a letter outside ASCII"
    )
