"""Lists of strings in which patterns and colors stand for each other, or neither way.

"It follows the sequence given in the patterns array" leaves open whether two patterns may have one
color.
"""


def precondition(colors, patterns):
    for strings in (colors, patterns):
        assert type(strings) is list and strings, "both must be lists of at least one element"
        assert all(type(each) is str for each in strings), "every element must be a string"
    pairs = set(zip(colors, patterns))
    assert (
        len(colors) != len(patterns)
        or len(pairs) > len(set(patterns))
        or len(pairs) == len(set(colors))
    ), "two patterns must not have one color, where each has one"
