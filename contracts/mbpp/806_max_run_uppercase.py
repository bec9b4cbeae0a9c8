"""A string of English letters whose longest run of capitals is the last, before one other at most.

The reference forgets a run once two other characters follow.
"""

import re


def precondition(test_str):
    assert type(test_str) is str and test_str, "test_str must be a string that is not empty"
    assert test_str.isascii() and test_str.isalpha(), "every character must be an English letter"
    longest = max(map(len, re.findall("[A-Z]*", test_str)))
    last = re.search("([A-Z]*)[a-z]?$", test_str)
    assert len(last[1]) == longest, "the longest run of capitals must be the last"
