"""Two "positive numbers", integers as in the examples; x may exceed y."""


def precondition(x, y):
    assert type(x) is int and x > 0, "x must be a positive integer"
    assert type(y) is int and y > 0, "y must be a positive integer"
    # The prompt asks for no fast way: trying each number of the range has to finish.
    assert y - x <= 2_000_000, "y must be at most x + 2000000, so that a plain loop finishes"
