"""An N x N grid (N >= 2) holding each of 1 to N * N "exactly once", and a positive k.

k is at most 100: the answer has k numbers, and a plain search may recurse once for each.
"""


def precondition(grid, k):
    assert type(grid) is list and len(grid) >= 2, "grid must be a list of at least two rows"
    assert all(type(row) is list for row in grid), "every row must be a list"
    assert all(len(row) == len(grid) for row in grid), "grid must be square"
    assert all(type(cell) is int for row in grid for cell in row), "every cell must be an integer"
    assert sorted(cell for row in grid for cell in row) == list(range(1, len(grid) ** 2 + 1)), (
        "every integer from 1 to N * N must appear exactly once"
    )
    assert type(k) is int and 1 <= k <= 100, "k must be an integer from 1 to 100"
