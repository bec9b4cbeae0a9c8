"""An integer with "1 <= n <= 10^3", the prompt's own bounds."""


def precondition(n):
    assert type(n) is int and 1 <= n <= 1000, "n must be an integer from 1 to 1000"
