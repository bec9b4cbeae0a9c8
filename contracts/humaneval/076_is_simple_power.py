"""Any two integers: "n**int=x" settles zero and negative ones too, (-2)**3 = -8 for instance.

Only x = 1 with n = 0 is excluded, where all hangs on whether 0**0 is taken as 1.
Other numbers than integers are excluded: powers of floats are not exact.
"""


def precondition(x, n):
    assert type(x) is int and type(n) is int, "x and n must be integers"
    assert (x, n) != (1, 0), "x = 1 and n = 0 must not meet, since 0**0 would decide the answer"


# The original multiplies until the power reaches x: it never ends for n of 0 or -1, and denies
# negative powers such as (-2)**3 = -8.
def is_simple_power(x, n):
    if x == 1:
        return True  # n**0
    if n in (-1, 0, 1):
        return x == n  # no further powers: those of -1 and 1 are -1 and 1, those of 0 are 0
    power = n
    while abs(power) < abs(x):
        power *= n
    return power == x
