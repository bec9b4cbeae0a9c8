"""An integer with "n > 1 and is not a prime", said in the prompt.

The bound keeps a search through every number up to n, which nothing in the prompt forbids, in time.
"""


def precondition(n):
    assert type(n) is int and n > 1, "n must be an integer greater than 1"
    assert n <= 10**6, "n must be at most a million"
    assert any(n % d == 0 for d in range(2, int(n**0.5) + 1)), "n must not be a prime"
