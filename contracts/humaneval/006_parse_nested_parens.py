"""One or more balanced groups with exactly one space between two: "groups ... separated by spaces".

In '()()' the groups are not separated: a program that splits at spaces sees one group of depth 1,
one that watches the balance sees two. An empty piece between two spaces, or an empty string, is
depth 0 to the first and nothing to the second, and the prompt speaks of "multiple groups".
"""


def precondition(paren_string):
    assert type(paren_string) is str, "paren_string must be a string"
    for group in paren_string.split(" "):
        assert group, "there must be a group on both sides of each space"
        depth = 0
        for position, char in enumerate(group, start=1):
            assert char in "()", "paren_string must be made of parentheses and spaces only"
            depth += 1 if char == "(" else -1
            assert depth >= 0, "a parenthesis must not be closed before it is opened"
            assert depth > 0 or position == len(group), "groups must be separated by a space"
        assert depth == 0, "every parenthesis must be closed in its own group"
