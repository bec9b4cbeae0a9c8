"""Two strings "<numerator>/<denominator>" of "positive whole numbers", without leading zeros."""

import re


def precondition(x, n):
    for fraction in (x, n):
        assert type(fraction) is str, "x and n must be strings"
        assert re.fullmatch(r"[1-9][0-9]*/[1-9][0-9]*", fraction), (
            "x and n must be '<numerator>/<denominator>' with positive whole numbers"
        )
        # Python reads no longer number.
        assert max(map(len, fraction.split("/"))) <= 4300, (
            "every number must have at most 4300 digits"
        )


# The original divides floats: it rounds, or overflows, when the numbers are large.
def simplify(x, n):
    x_numerator, x_denominator = map(int, x.split("/"))
    n_numerator, n_denominator = map(int, n.split("/"))
    return (x_numerator * n_numerator) % (x_denominator * n_denominator) == 0
