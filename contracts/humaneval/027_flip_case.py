"""Any string whose letters have two cases each, one by one, as 'é' and 'É' do, or none.

'ß' and 'ǅ' have no single counterpart; a capital sigma has another one at the end of a word.
"""


def precondition(string):
    assert type(string) is str, "string must be a string"
    for char in string:
        lower, upper = char.lower(), char.upper()
        if lower != upper:
            is_pair = char in (lower, upper) and lower.upper() == upper and upper.lower() == lower
            assert is_pair and char.isalpha(), (
                "every character with case must be a letter with one counterpart"
            )
    flipped = "".join(char.swapcase() for char in string)
    assert flipped == string.swapcase(), "every letter must have the same counterpart in any place"
