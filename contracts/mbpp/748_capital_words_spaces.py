"""English words without spaces, of which each begins with a capital that a small letter follows.

Whether capitals in a row are words, or one, is open.
"""

import re


def precondition(str1):
    assert type(str1) is str, "str1 must be a string"
    assert re.fullmatch("([A-Z][a-z]+)*", str1), "str1 must be words of a capital and small letters"
