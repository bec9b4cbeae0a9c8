"""Any integer up to 200 ("the given number n"), zero and negative ones included.

The bound lets a program that looks for the four numbers, as the prompt words it, end in a moment.
"""


def precondition(n):
    assert type(n) is int, "n must be an integer"
    assert n <= 200, "n must be at most 200"
