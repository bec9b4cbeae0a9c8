"""A text and a part to look for, of letters, digits and spaces: it is no pattern then."""


def precondition(text, pattern):
    assert type(text) is str and type(pattern) is str, "both must be strings"
    assert pattern and all(char.isalnum() or char == " " for char in pattern), (
        "pattern must be letters, digits and spaces"
    )
