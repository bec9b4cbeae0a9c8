"""A text and a part of it, of letters, digits and spaces.

For other patterns the reference returns the pattern, not "the matching substring"; what to return
if there is no match, the words do not say.
"""


def precondition(text, pattern):
    assert type(text) is str and type(pattern) is str, "both must be strings"
    assert pattern and all(char.isalnum() or char == " " for char in pattern), (
        "pattern must be letters, digits and spaces"
    )
    assert pattern in text, "pattern must be part of text"
