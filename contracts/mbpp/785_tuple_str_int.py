"""A tuple of at least two integers as Python writes it, of at most 300 digits each."""

import re


def precondition(test_str):
    assert type(test_str) is str, "test_str must be a string"
    number = "(0|[1-9][0-9]{0,299})"
    assert re.fullmatch(rf"\({number}(, {number})+\)", test_str), (
        "test_str must be a tuple of integers as Python writes it"
    )
