"""Any string whose letters have two cases each, one by one, as 'é' and 'É' do: "reverse its case".

'ß' and 'ǅ' have no single counterpart; a capital sigma has another one at the end of a word. A
letter without case stays as it is, but whether a string of such "contains no letters" is open.
"""


def precondition(s):
    assert type(s) is str, "s must be a string"
    for char in s:
        lower, upper = char.lower(), char.upper()
        if lower != upper:
            is_pair = char in (lower, upper) and lower.upper() == upper and upper.lower() == lower
            assert is_pair and char.isalpha(), (
                "every character with case must be a letter with one counterpart"
            )
    flipped = "".join(char.swapcase() for char in s)
    assert flipped == s.swapcase(), "every letter must have the same counterpart in any place"
    has_letters = any(char.isalpha() for char in s)
    has_case = any(char.lower() != char.upper() for char in s)
    assert has_letters == has_case, "one letter at least must have two cases, or there must be none"
