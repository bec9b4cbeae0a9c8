"""One word of English letters: "a string representing a word".

The end of the word decides about "y", so spaces, digits and marks are out, and the empty string
is no word. Accented letters are out because the prompt lists the vowels without them.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert s.isascii() and s.isalpha(), "s must be one or more English letters"
