"""ASCII text in which the first word that ends in "ly" is the first place with "ly" in a word.

Whether a word that goes on after "ly" has an adverb in it is open.
"""

import re


def precondition(text):
    assert type(text) is str and text.isascii(), "text must be a string of ASCII characters"
    readings = (r"\w+ly", r"(?i)\w*ly", r"\b\w+ly\b", r"\b[A-Za-z]+ly\b")
    found = [re.search(each, text) for each in readings]
    assert len({match and match.span() for match in found}) == 1, (
        "the first word with 'ly' in it must end so, and be of letters"
    )
