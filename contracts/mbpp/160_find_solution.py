"""Two positive integers and a non-negative one, small enough to try one pair after the other.

"Integers x and y that satisfy ax + by = n": any such pair is right. Whether negative ones count is
open where there are no others.
"""


def precondition(a, b, n):
    for number in (a, b):
        assert type(number) is int and number >= 1, "a and b must be positive integers"
    assert type(n) is int and 0 <= n <= 1000, "n must be an integer from 0 to 1000"


def check(inputs, output, expected):
    """A pair that satisfies the equation; None if no pair of non-negative integers does."""
    if output is None or type(output) is not tuple:
        return output is None and expected is None
    if len(output) != 2 or not all(type(each) is int for each in output):
        return False
    a, b, n = inputs
    return a * output[0] + b * output[1] == n
