"""A non-negative integer, small enough to count up to the next palindrome."""


def precondition(num):
    assert type(num) is int and num >= 0, "num must be a non-negative integer"
    assert num <= 10**8, "num must be at most 10**8, so that counting up finishes"
