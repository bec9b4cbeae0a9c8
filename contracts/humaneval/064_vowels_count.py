"""A word of English letters, "a string representing a word", perhaps the empty one.

The end of the word decides about "y", so spaces, digits and marks are out. Accented letters are out
because the prompt lists the vowels without them. Nothing asks for a letter: the empty word, which
task 118 speaks of as well, holds no vowel to anyone who gives it an answer.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert s == "" or (s.isascii() and s.isalpha()), "s must be made of English letters only"


# The original looks at the last letter of the empty word.
def vowels_count(s):
    count = sum(letter in "aeiouAEIOU" for letter in s)
    return count + s.endswith(("y", "Y"))
