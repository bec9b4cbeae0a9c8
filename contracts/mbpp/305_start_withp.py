"""Strings of words; the first with a word that begins with p is two words that begin with P.

"Two words from a list of words starting with letter 'p'" leaves open which two otherwise.
"""

import re


def precondition(words):
    assert type(words) is list, "words must be a list"
    assert all(type(each) is str for each in words), "every element must be a string"
    assert all(re.fullmatch("[A-Za-z+]+( [A-Za-z+]+)*", each) for each in words), (
        "every string must be words of letters with single spaces between"
    )
    meant = [each for each in words if re.search("(?i)(^| )p", each)]
    assert meant and re.fullmatch("P[A-Za-z]+ P[A-Za-z]+", meant[0]), (
        "the first string with a word that begins with p must be two that begin with P"
    )
