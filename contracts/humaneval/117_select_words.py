"""A string of "only letters and spaces" (English letters) and a natural number, zero included.

With n = 0 the pieces that `split(" ")` leaves between repeated or outer spaces would count as words
with no consonants, so there the words must stand one space apart.
"""


def precondition(s, n):
    assert type(s) is str, "s must be a string"
    assert s.isascii() and all(char.isalpha() or char == " " for char in s), (
        "s must be made of English letters and spaces only"
    )
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n > 0 or s == "" or "" not in s.split(" "), (
        "the words must be separated by single spaces where n is 0"
    )
