"""Printable ASCII text in which it is plain which sentences start "with the word 'I'".

Excluded are sentences whose first word is "I" only up to punctuation ("I'm", '"I', "I,"), which
the prompt does not place, and a sentence of "I" alone, which "starts with" may or may not cover.
So is a blank before the first sentence: none of the examples has one. Tabs and line ends could
pass for delimiters.
"""

import re


def precondition(S):
    assert type(S) is str, "S must be a string"
    assert S.isascii() and S.isprintable(), "S must hold only printable ASCII characters"
    assert not S.startswith(" "), "S must not start with a space"
    for sentence in re.split("[.?!]", S):
        words = sentence.split()
        if words and re.match("[^A-Za-z0-9]*I(?![A-Za-z0-9])", words[0]):
            assert words[0] == "I", 'a first word "I" must be free of other marks'
            assert len(words) > 1, 'a sentence must not be "I" alone'
