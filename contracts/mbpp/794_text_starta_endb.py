"""Printable text that begins with a if it ends in b after an a.

Whether the text or a part of it must start with a is open.
"""

import re


def precondition(text):
    assert type(text) is str and text.isprintable(), "text must be printable characters"
    assert bool(re.search("a.*b$", text)) == bool(re.fullmatch("a.*b", text)), (
        "the answer must be the same for the text and for a part of it"
    )
