"""Square brackets only, where two readings of "a valid subsequence of brackets" agree.

A subsequence may skip brackets, and then "[][][]" has "[[]]"; taken as a run of neighbouring
brackets, nothing in "[][][]" is nested. No example of the prompt tells the two apart.
"""


def precondition(string):
    assert type(string) is str, "string must be a string"
    assert all(ch in "[]" for ch in string), "string must contain only square brackets"
    found = 0  # how much of "[[]]" has been met in order, other brackets skipped
    consecutive = False  # whether a bracket and its partner enclose anything
    opened = []
    for i, ch in enumerate(string):
        if found < 4 and ch == "[[]]"[found]:
            found += 1
        if ch == "[":
            opened.append(i)
        elif opened:
            consecutive = i - opened.pop() > 1 or consecutive
    assert (found == 4) == consecutive, (
        "string must be nested, or not, whether or not brackets may be skipped"
    )
