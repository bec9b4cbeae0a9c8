"""Any integer "less then 100": a program may rest on that bound, as a table of the answers does.

Zero and negative numbers are no product of primes, so their answer is settled.
"""


def precondition(a):
    assert type(a) is int and a < 100, "a must be an integer less than 100"
