"""Any string whose only whitespace is the space: "spaces" does not settle tabs and newlines."""

import re


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char == " " or not char.isspace() for char in text), (
        "text must have no whitespace other than plain spaces"
    )


# The original makes one underscore of two spaces at the end of the text.
def fix_spaces(text):
    return re.sub(" {3,}", "-", text).replace(" ", "_")
