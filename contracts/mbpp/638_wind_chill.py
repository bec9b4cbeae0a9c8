"""A wind and a temperature whose wind chill is not halfway between two integers.

"Rounded to the next integer" means the nearest one, by the examples.
"""

import math


def precondition(v, t):
    for number in (v, t):
        is_number = type(number) is int or (type(number) is float and math.isfinite(number))
        assert is_number and abs(number) <= 1e9, "both must be numbers of at most 1e9"
    assert v >= 0, "v must not be negative"
    power = math.pow(v, 0.16)
    chill = 13.12 + 0.6215 * t - 11.37 * power + 0.3965 * t * power
    assert abs(chill % 1 - 0.5) > 1e-6, "the wind chill must not be halfway between two integers"
