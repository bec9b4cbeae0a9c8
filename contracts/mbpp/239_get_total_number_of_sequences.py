"""Two positive integers, small enough that the sequences can be found one by one.

The prompt asks for no fast way, and recursion by its words takes as many steps as there are such
sequences: millions from a few hundred on.
"""


def precondition(m, n):
    for number in (m, n):
        assert type(number) is int and number >= 1, "m and n must be positive integers"
        assert number <= 150, "m and n must be at most 150, so that plain recursion finishes"
