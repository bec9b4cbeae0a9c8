"""A rectangular grid of zeros and ones and a capacity, within the prompt's "Constraints"."""


def precondition(grid, capacity):
    assert type(grid) is list, "grid must be a list"
    assert 1 <= len(grid) <= 100, "grid must have 1 to 100 rows"
    assert all(type(row) is list for row in grid), "every row must be a list"
    assert all(len(row) == len(grid[0]) for row in grid), "all rows must have the same length"
    assert 1 <= len(grid[0]) <= 100, "rows must have 1 to 100 cells"
    assert all(type(cell) is int and cell in (0, 1) for row in grid for cell in row), (
        "every cell must be the integer 0 or 1"
    )
    assert type(capacity) is int and 1 <= capacity <= 10, "capacity must be an integer from 1 to 10"
