"""Any string without cased letters outside ASCII; spaces and signs are characters like others.

"Regardless of case" is not settled beyond ASCII: 'ß', 'ς' or 'İ' match other letters by lower(),
upper() and casefold(), and a program may take the 26 English letters only.
"""


def precondition(string):
    assert type(string) is str, "string must be a string"
    for char in string:
        is_caseless = char == char.lower() == char.upper() == char.casefold()
        assert char.isascii() or is_caseless, "letters with case must be ASCII"
