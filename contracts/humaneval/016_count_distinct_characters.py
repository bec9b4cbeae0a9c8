"""Any string with one count of distinct characters by lower(), by upper() and by casefold().

"Regardless of case" is not settled for letters such as 'ß', 'ς' or 'İ', which meet other letters
by some of these and not by others; spaces and signs are characters like all others.
"""


def precondition(string):
    assert type(string) is str, "string must be a string"
    counts = set()
    for fold in (str.lower, str.upper, str.casefold):
        counts.add(len(set(fold(string))))
        counts.add(len({fold(char) for char in string}))
    assert len(counts) <= 1, "the count must be the same by lower(), upper() and casefold()"
