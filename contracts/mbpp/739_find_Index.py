"""A positive number of digits, small enough to go through the triangular numbers one by one."""


def precondition(n):
    assert type(n) is int and 1 <= n <= 12, "n must be an integer from 1 to 12"
