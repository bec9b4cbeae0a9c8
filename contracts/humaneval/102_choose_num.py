"""Two "positive numbers", integers as in the examples; x may exceed y.

The bound keeps trying each number of the range, which nothing in the prompt forbids, in time.
"""


def precondition(x, y):
    assert type(x) is int and x > 0, "x must be a positive integer"
    assert type(y) is int and y > 0, "y must be a positive integer"
    assert y - x <= 10**6, "the range must hold at most a million numbers"
