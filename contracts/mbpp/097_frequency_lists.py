"""A list of lists of strings and integers, of any lengths."""


def precondition(list1):
    assert type(list1) is list and list1, "list1 must be a list of at least one list"
    assert all(type(row) is list for row in list1), "every element must be a list"
    assert all(type(x) in (int, str) for row in list1 for x in row), (
        "every element of a list must be a string or integer"
    )
