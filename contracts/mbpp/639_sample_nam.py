"""Printable ASCII names that begin with a letter: others start in neither case.

The original also removes names with a capital after the first letter, which the words keep.
"""

import re


def precondition(sample_names):
    assert type(sample_names) is list, "sample_names must be a list"
    assert all(
        type(name) is str and re.fullmatch("[A-Za-z][ -~]*", name) for name in sample_names
    ), "every name must begin with an English letter"


def sample_nam(sample_names):
    return sum(len(name) for name in sample_names if not name[0].islower())
