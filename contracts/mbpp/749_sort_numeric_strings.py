"""Integers written in ASCII digits, with a minus sign in front or a space behind at most."""

import re


def precondition(nums_str):
    assert type(nums_str) is list, "nums_str must be a list"
    assert all(
        type(each) is str and len(each) <= 300 and re.fullmatch("-?[0-9]+ ?", each)
        for each in nums_str
    ), "every element must be an integer of at most 300 digits"
