"""A list of rows of integers of any length, empty ones included, and an integer x."""


def precondition(lst, x):
    assert type(lst) is list, "lst must be a list"
    for row in lst:
        assert type(row) is list, "every row must be a list"
        assert all(type(value) is int for value in row), "every element of a row must be an integer"
    assert type(x) is int, "x must be an integer"
