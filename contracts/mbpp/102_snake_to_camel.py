"""Words of small letters, digits at their ends, with single underscores between: snake case.

What becomes of capitals and of underscores at an end, the words do not say.
"""

import re


def precondition(word):
    assert type(word) is str, "word must be a string"
    assert re.fullmatch("[a-z]+[0-9]*(_[a-z]+[0-9]*)*", word), (
        "word must be small letters, with single underscores between words"
    )
