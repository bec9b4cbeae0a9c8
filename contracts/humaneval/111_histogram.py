"""The empty string, or lowercase letters a-z with one space between neighbours.

"A string representing a space separated lowercase letters" does not say what leading, trailing or
repeated spaces would mean: `split(" ")` then finds empty items and `split()` does not.
"""

import re


def precondition(test):
    assert type(test) is str, "test must be a string"
    assert re.fullmatch(r"([a-z]( [a-z])*)?", test), (
        "test must be lowercase letters a-z separated by single spaces, or empty"
    )
