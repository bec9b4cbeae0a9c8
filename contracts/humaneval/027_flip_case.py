"""Any string without cased letters outside ASCII: 'ß' and 'ǅ' have no plain counterpart there."""


def precondition(string):
    assert type(string) is str, "string must be a string"
    for char in string:
        is_caseless = char == char.lower() == char.upper() == char.casefold()
        assert char.isascii() or is_caseless, "letters with case must be ASCII"
