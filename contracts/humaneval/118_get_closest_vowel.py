"""A word of "English letter only"; the empty one holds no vowel, so its answer is given as well."""


def precondition(word):
    assert type(word) is str, "word must be a string"
    assert word.isascii(), "word must contain English letters only"
    assert word == "" or word.isalpha(), "word must contain letters only"
