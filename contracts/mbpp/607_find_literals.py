"""A text and what to look for, of letters, digits and spaces.

For other patterns the reference returns the pattern, not "the matching substring". That a search in
vain returns None is said in the prompt of a sister task (773).
"""


def precondition(text, pattern):
    assert type(text) is str and type(pattern) is str, "both must be strings"
    assert pattern and all(char.isalnum() or char == " " for char in pattern), (
        "pattern must be letters, digits and spaces"
    )
