"""Balanced parentheses and plain spaces, which may stand anywhere ("Ignore any spaces")."""


def precondition(paren_string):
    assert type(paren_string) is str, "paren_string must be a string"
    depth = 0
    for char in paren_string:
        assert char in "() ", "paren_string must be made of parentheses and spaces only"
        depth += (char == "(") - (char == ")")
        assert depth >= 0, "a parenthesis must not be closed before it is opened"
    assert depth == 0, "every parenthesis must be closed"
