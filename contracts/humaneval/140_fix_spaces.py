"""Any string: "all spaces" are replaced, and what is no space, a line end included, stays."""

import re


def precondition(text):
    assert type(text) is str, "text must be a string"


# The original makes one underscore of two spaces at the end of the text.
def fix_spaces(text):
    return re.sub(" {3,}", "-", text).replace(" ", "_")
