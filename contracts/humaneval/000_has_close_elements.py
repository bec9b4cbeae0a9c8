"""Any list of finite numbers with a finite threshold, unless rounding decides the answer.

"Closer to each other than given threshold" is strict, so fewer than two numbers, duplicates, a zero
and even a negative threshold all have one answer. With [5.0, 5.3] and 0.3 the answer hangs on the
last bit (`b - a < t` holds, `b < a + t` does not), so such near ties are left out; exact ones stay.
"""

import math
from fractions import Fraction
from itertools import pairwise


def precondition(numbers, threshold):
    assert type(numbers) is list, "numbers must be a list"
    for x in [*numbers, threshold]:
        assert type(x) in (int, float), "threshold and every element of numbers must be a number"
        # Larger ints would be rounded on meeting a float.
        assert type(x) is float or abs(x) <= 2**53, (
            "every integer must be at most 2**53 in size, to be exact as a float"
        )
        assert math.isfinite(x), "threshold and every element of numbers must be finite"
    ordered = sorted(numbers)
    closest = min((b - a for a, b in pairwise(ordered)), default=math.inf)
    # Only the closest pair decides; a difference or sum is off by at most one part in 2**53.
    margin = 1e-12 * max(map(abs, [*numbers, threshold]))
    if closest != math.inf and abs(closest - threshold) <= margin:
        exact = min(Fraction(b) - Fraction(a) for a, b in pairwise(ordered))
        assert exact == Fraction(threshold), "the closest distance must not nearly equal threshold"
