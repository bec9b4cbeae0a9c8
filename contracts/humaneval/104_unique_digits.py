"""A "list of positive integers", perhaps empty; "all elements" keeps repeated ones."""


def precondition(x):
    assert type(x) is list, "x must be a list"
    assert all(type(value) is int and value > 0 for value in x), (
        "every element of x must be a positive integer"
    )
    # Python writes out no longer integers.
    limit = 10**4300
    assert all(value < limit for value in x), "every element of x must have at most 4300 digits"
