"""A sentence in the form of the examples, "5 apples and 6 oranges", and a number of fruits.

n counts all fruits, so it is no less than the two numbers together.
"""

import re


def precondition(s, n):
    assert type(s) is str, "s must be a string"
    numbers = re.fullmatch(r"([0-9]{1,100}) apples and ([0-9]{1,100}) oranges", s)
    assert numbers, 's must be of the form "<number> apples and <number> oranges"'
    assert type(n) is int, "n must be an integer"
    assert n >= int(numbers[1]) + int(numbers[2]), (
        "n must be at least the number of apples and oranges"
    )
