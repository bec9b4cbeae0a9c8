"""Integers, finite floats, or strings of plain decimals whose "floating point might be . or ,".

Values closer than a float can tell apart are out: they are equal as floats and differ as decimals.
"""

import math
import re
from fractions import Fraction


def precondition(a, b):
    values = []
    for x in (a, b):
        assert type(x) in (int, float, str), "a and b must be numbers or strings"
        if type(x) is int:
            assert abs(x) < 10**300, "integers must be below 10**300 in size, to fit a float"
        elif type(x) is float:
            assert math.isfinite(x), "a and b must be finite"
        else:
            assert len(x) <= 300 and re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", x), (
                "strings must be decimals like '-12', '3.5' or '3,5'"
            )
        text = str(x).replace(",", ".")
        values.append((float(text), Fraction(text)))
    (float_a, exact_a), (float_b, exact_b) = values
    assert (float_a > float_b) == (exact_a > exact_b), (
        "a and b must be equal, or differ as floats too"
    )
    assert (float_a < float_b) == (exact_a < exact_b), (
        "a and b must be equal, or differ as floats too"
    )
