"""A matrix of integers: distinct if all sums are equal, which to some is part of "magic".

One that is not square has sums of rows that differ, so that no reading calls it magic.
"""


def precondition(my_matrix):
    assert type(my_matrix) is list and my_matrix, "my_matrix must be a list of rows"
    assert all(type(row) is list and row for row in my_matrix), "every row must be a list"
    assert len({len(row) for row in my_matrix}) == 1, "rows must be of one length"
    cells = [cell for row in my_matrix for cell in row]
    assert all(type(cell) is int for cell in cells), "every cell must be an integer"
    if len({sum(row) for row in my_matrix}) > 1:
        return
    size = len(my_matrix)
    assert len(my_matrix[0]) == size, "rows of one sum must be as many as columns"
    sums = [sum(column) for column in zip(*my_matrix)]
    sums.append(sum(my_matrix[at][at] for at in range(size)))
    sums.append(sum(my_matrix[at][-1 - at] for at in range(size)))
    is_magic = set(sums) == {sum(my_matrix[0])}
    assert not is_magic or len(set(cells)) == len(cells), (
        "the cells must differ if all sums are equal"
    )
