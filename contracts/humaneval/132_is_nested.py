"""Square brackets only, where two readings of "a valid subsequence of brackets" agree.

A subsequence may skip brackets, and then "[][][]" has "[[]]"; taken as a run of neighbouring
brackets, nothing in "[][][]" is nested. No example of the prompt tells the two apart.
"""


def precondition(string):
    assert type(string) is str, "string must be a string"
    assert all(char in "[]" for char in string), "string must be made of square brackets only"
    found = 0  # how much of "[[]]" has been met in order, other brackets skipped
    consecutive = False  # whether a bracket and its partner enclose anything
    opened = []
    for i, char in enumerate(string):
        if found < 4 and char == "[[]]"[found]:
            found += 1
        if char == "[":
            opened.append(i)
        elif opened:
            consecutive = i - opened.pop() > 1 or consecutive
    assert (found == 4) == consecutive, (
        "the answer must be the same whether or not brackets may be skipped"
    )
