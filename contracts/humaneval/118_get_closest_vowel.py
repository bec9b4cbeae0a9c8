"""A word of "English letter only"; the empty one holds no vowel, so its answer is given as well."""


def precondition(word):
    assert type(word) is str, "word must be a string"
    assert word == "" or (word.isascii() and word.isalpha()), (
        "word must be made of English letters only"
    )
