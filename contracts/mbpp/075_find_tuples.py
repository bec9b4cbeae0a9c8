"""A list of tuples of at least one integer, and a positive integer."""


def precondition(test_list, K):
    assert type(test_list) is list, "test_list must be a list"
    assert all(type(row) is tuple and row for row in test_list), (
        "every element must be a tuple of at least one integer"
    )
    assert all(type(x) is int for row in test_list for x in row), (
        "every element of a tuple must be an integer"
    )
    assert type(K) is int and K >= 1, "K must be a positive integer"
