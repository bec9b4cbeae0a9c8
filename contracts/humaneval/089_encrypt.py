"""Lower-case English letters only, as in all examples.

The prompt rotates "the alphabet" and does not say what becomes of capitals, or of characters that
are in no alphabet: to keep, to drop and to shift them by their codes are all open.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert set(s) <= set("abcdefghijklmnopqrstuvwxyz"), "s must hold only letters from a to z"
