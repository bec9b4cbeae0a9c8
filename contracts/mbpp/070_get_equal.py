"""A list of at least one tuple: whether none are of equal length is open."""


def precondition(Input):
    assert type(Input) is list and Input, "Input must be a list of at least one tuple"
    assert all(type(row) is tuple for row in Input), "every element must be a tuple"
