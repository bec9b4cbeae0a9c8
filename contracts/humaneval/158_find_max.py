"""A list of strings with at least one non-empty: among none, or among empty ones, is no word."""


def precondition(words):
    assert type(words) is list, "words must be a list"
    assert all(type(word) is str for word in words), "every element of words must be a string"
    assert any(words), "at least one string must be non-empty"
