"""Any two strings.

"The second word or any of its rotations": the second word itself counts first, so an empty one,
which is a substring of every word, is found though it has no letter to rotate.
"""


def precondition(a, b):
    assert type(a) is str, "a must be a string"
    assert type(b) is str, "b must be a string"
