"""A non-negative integer and a base from 2 to 9 ("less than 10").

Below 2 there are no positional digits; how to write a sign is not said.
"""


def precondition(x, base):
    assert type(x) is int and x >= 0, "x must be a non-negative integer"
    assert x <= 10**100, "x must be at most 10**100, so that recursion by digits stays in its limit"
    assert type(base) is int and 2 <= base <= 9, "base must be an integer from 2 to 9"


# The original gave '' for 0; a number has at least one digit.
def change_base(x, base):
    digits = []
    while x >= base:
        x, digit = divmod(x, base)
        digits.append(str(digit))
    digits.append(str(x))
    return "".join(reversed(digits))
