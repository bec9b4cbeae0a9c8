"""A list of tuples of at least one element, of any lengths."""


def precondition(test_list):
    assert type(test_list) is list, "test_list must be a list"
    assert all(type(row) is tuple and row for row in test_list), (
        "every element must be a tuple of at least one element"
    )
