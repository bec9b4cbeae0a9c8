"""Words of English letters "separated by a space", 1 to 100 characters in all."""

import re


def precondition(sentence):
    assert type(sentence) is str, "sentence must be a string"
    assert 1 <= len(sentence) <= 100, "sentence must have 1 to 100 characters"
    assert re.fullmatch(r"[A-Za-z]+( [A-Za-z]+)*", sentence), (
        "sentence must be words of English letters separated by single spaces"
    )
