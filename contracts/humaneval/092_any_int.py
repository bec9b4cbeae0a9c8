"""Three finite "numbers", integers or floats.

Whether a float such as 3.0 is an integer is left open, so whole floats are accepted only where
the answer is false in any case: beside a fraction, or where no number is the sum of the others.
"""

import math


def precondition(x, y, z):
    numbers = (x, y, z)
    for number in numbers:
        assert type(number) in (int, float), "x, y and z must be numbers"
        assert type(number) is int or math.isfinite(number), "x, y and z must be finite"
    if any(type(number) is float for number in numbers):
        whole = [int(number) for number in numbers if number == int(number)]
        # A number is the sum of the other two where twice the number is the sum of all.
        assert len(whole) < 3 or all(2 * number != sum(whole) for number in whole), (
            "the answer must be the same whether or not whole floats are integers"
        )
