"""Names of English letters, two at least, of which only the first may be a capital.

Whether DYLAN is a name that starts with a lowercase letter is clear, but the reference drops it.
"""

import re


def precondition(sample_names):
    assert type(sample_names) is list, "sample_names must be a list"
    assert all(
        type(name) is str and re.fullmatch("[A-Za-z][a-z]+", name) for name in sample_names
    ), "every name must be a letter and small letters"
