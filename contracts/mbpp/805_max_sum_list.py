"""A list of at least one list of integers, of any lengths."""


def precondition(lists):
    assert type(lists) is list and lists, "lists must be a list of at least one list"
    assert all(type(row) is list for row in lists), "every element must be a list"
    assert all(type(x) is int for row in lists for x in row), (
        "every element of a list must be an integer"
    )
