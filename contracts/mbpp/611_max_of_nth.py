"""A matrix of integers and the index of one of its columns."""


def precondition(test_list, N):
    assert type(test_list) is list and test_list, "test_list must be a list of at least one row"
    assert all(type(row) is list for row in test_list), "every row must be a list"
    assert len({len(row) for row in test_list}) == 1, "rows must be of one length"
    assert all(type(x) is int for row in test_list for x in row), "every cell must be an integer"
    assert type(N) is int and 0 <= N < len(test_list[0]), "N must be the index of a column"
