"""English words without spaces; each but the first begins with a capital and goes on small.

Whether capitals in a row are words, or one, is open.
"""

import re


def precondition(str1):
    assert type(str1) is str, "str1 must be a string"
    assert re.fullmatch("[a-z]*([A-Z][a-z]+)*", str1), (
        "str1 must be words of a capital and small letters"
    )
