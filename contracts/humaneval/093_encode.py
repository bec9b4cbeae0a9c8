"""English letters and plain spaces: "Assume only letters", and the second example has spaces.

"y" is no vowel: it has no letter two places ahead. Accented letters are in no English alphabet.
"""

import re


def precondition(message):
    assert type(message) is str, "message must be a string"
    assert re.fullmatch("[A-Za-z ]*", message), (
        "message must be made of English letters and spaces only"
    )
