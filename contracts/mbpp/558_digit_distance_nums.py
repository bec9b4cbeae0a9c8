"""Two natural numbers; "per-digit" leaves open which digits of a longer number are compared.

Digits can be paired from the left, leaving the rest out, or by place, with zeros in front.
"""


def precondition(n1, n2):
    for number in (n1, n2):
        assert type(number) is int and number >= 0, "both must be non-negative integers"


def check(inputs, output, expected):
    """The distance of the digits paired from the left, or paired by place."""
    if type(output) not in (int, float):
        return False
    first, second = (str(number) for number in inputs)
    width = max(len(first), len(second))
    by_place = _distance(first.zfill(width), second.zfill(width))
    return output in (expected, by_place)


def _distance(first, second):
    return sum(abs(int(a) - int(b)) for a, b in zip(first, second))
