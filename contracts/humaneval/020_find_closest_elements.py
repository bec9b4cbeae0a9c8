"""A list of "at least two" finite numbers; pairs may tie, since `check` takes any closest pair."""

from itertools import pairwise


def precondition(numbers):
    assert type(numbers) is list and len(numbers) >= 2, (
        "numbers must be a list of at least two elements"
    )
    assert all(type(x) in (int, float) for x in numbers), (
        "every element of numbers must be a number"
    )
    # This also turns away NaN and the infinities.
    assert all(abs(x) <= 1e300 for x in numbers), (
        "every element of numbers must be at most 1e300 in size, so that differences are finite"
    )
    # Larger ints would be rounded on meeting a float.
    small = all(type(x) is float or abs(x) <= 2**53 for x in numbers)
    assert small, "every integer must be at most 2**53 in size, to be exact as a float"


def check(inputs, output, expected):
    """Two elements of the list, smaller first, that are as close as any two (up to rounding)."""
    numbers = inputs[0]
    if type(output) is not tuple or len(output) != 2:
        return False
    if not all(type(x) in (int, float) for x in output):
        return False
    remaining = list(numbers)
    for x in output:
        if x not in remaining:
            return False
        remaining.remove(x)
    smaller, larger = output
    ordered = sorted(numbers)
    closest = min(b - a for a, b in pairwise(ordered))
    # 1.2 - 1.1 and 1.1 - 1.0 differ in the last bits only: who takes them for a tie is right too.
    return 0 <= larger - smaller <= closest * (1 + 1e-9)
