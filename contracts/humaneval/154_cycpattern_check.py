"""Any two strings with a non-empty second one.

An empty one is no word and has no rotation: a loop over its rotations finds nothing, though it is a
substring of every word.
"""


def precondition(a, b):
    assert type(a) is str, "a must be a string"
    assert type(b) is str, "b must be a string"
    assert b, "b must be non-empty"
