"""English words with spaces and dots between, in which z is in the middle or nowhere.

Whether a word with a z in the middle and another at an end counts is open.
"""

import re


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert re.fullmatch("[A-Za-z .]*", text), "text must be letters, spaces and dots"
    words = re.findall("[A-Za-z]+", text)
    assert not any("z" in word[1:-1] for word in words) or not any(
        "z" in (word[0], word[-1]) for word in words
    ), "z must not be both in the middle and at an end"
    assert ("z" in text[1:-1]) == any("z" in word[1:-1] for word in words), (
        "the answer must be the same for the text and for its words"
    )
