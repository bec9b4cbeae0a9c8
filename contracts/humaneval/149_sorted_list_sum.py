"""A list of ASCII strings, duplicates and empty ones included, whose order no case decides.

"Sort the list alphabetically" does not say whether "Zz" comes before "aa".
"""


def precondition(lst):
    assert type(lst) is list, "lst must be a list"
    assert all(type(s) is str for s in lst), "every element of lst must be a string"
    assert all(s.isascii() for s in lst), "every element of lst must be ASCII"
    kept = [s for s in lst if len(s) % 2 == 0]
    by_code = sorted(kept, key=lambda s: (len(s), s))
    by_letter = sorted(kept, key=lambda s: (len(s), s.lower()))
    assert by_code == by_letter, "the order must be the same with and without regard to case"
