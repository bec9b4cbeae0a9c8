"""Any string, unless it depends on the meaning of "palindrome" whether it is one.

To some a palindrome is what reads the same letter by letter, to others (dictionaries say so of
phrases) also 'Step on no pets'. The prompt does not choose: its examples are lower-case letters.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
    letters = "".join(char for char in text if char.isalnum())
    readings = {_is_symmetric(x) for x in (text, text.casefold(), letters, letters.casefold())}
    assert len(readings) == 1, (
        "the answer must be the same with and without case, spaces and punctuation"
    )


def _is_symmetric(text):
    return text == text[::-1]
