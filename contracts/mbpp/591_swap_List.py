"""A list of at least two elements: first and last of one are the same."""


def precondition(newList):
    assert type(newList) is list and len(newList) >= 2, "newList must be of two elements or more"
