"""A square pyramid's base edge and "height", which the examples take for the height of a side.

By its usual meaning the height stands upright on the base: both readings count.
"""

import math


def precondition(b, s):
    for length in (b, s):
        is_number = type(length) is int or (type(length) is float and math.isfinite(length))
        assert is_number and length > 0, "both lengths must be positive finite numbers"


def check(inputs, output, expected):
    """The area with the height of a side, or with the height of the pyramid."""
    if type(output) not in (int, float):
        return False
    edge, height = inputs
    try:
        upright = edge**2 + 2 * edge * math.hypot(edge / 2, height)
        return any(
            math.isclose(output, area, rel_tol=1e-7, abs_tol=1e-6) for area in (expected, upright)
        )
    except (OverflowError, TypeError):
        return False
