"""A position counted from 1, up to 11.

The twelfth prime Fibonacci number is 99194853094755497: trial division, all the prompt needs
otherwise, would take 3 * 10**8 steps there.
"""


def precondition(n):
    assert type(n) is int and n >= 1, "n must be a positive integer"
    assert n <= 11, "n must be at most 11, so that trial division finishes"
