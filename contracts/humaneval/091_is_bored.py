"""Any string on which all readings of "starts with the word "I"" count alike.

Left out by this are "I'm" and "I," (is that the word?), a sentence of "I" alone, a blank before the
first sentence, which no example has, and a tab or a line end after the "I".
"""

import re


def precondition(S):
    assert type(S) is str, "S must be a string"
    sentences = re.split("[.?!]", S)
    readings = {
        # As the original reads: a blank before the first sentence is part of it.
        sum(sentence.startswith("I ") for sentence in re.split(r"[.?!]\s*", S)),
        sum(sentence.strip().startswith("I ") for sentence in sentences),
        sum(sentence.split()[:1] == ["I"] for sentence in sentences),
        # "I" as a word apart from any marks around it.
        sum(re.match(r"[\W_]*I(?![^\W_])", sentence) is not None for sentence in sentences),
    }
    assert len(readings) == 1, 'the count must be the same whatever may stand around the word "I"'
