"""A matrix of integers, with a row of one cell at least."""


def precondition(M):
    assert type(M) is list and M, "M must be a list of at least one row"
    assert all(type(row) is list and row for row in M), "every row must be a list of cells"
    assert len({len(row) for row in M}) == 1, "rows must be of one length"
    assert all(type(cell) is int for row in M for cell in row), "every cell must be an integer"
