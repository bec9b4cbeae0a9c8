"""A list of "at least two elements", not all the same (0 and 1 cannot both be its image)."""


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
    span = max(numbers) - min(numbers)
    assert span > 0, "numbers must not all be equal"
    assert span >= 1e-300, "the span must be at least 1e-300, so that one can be divided by it"
    # A linear transform may also be computed as k * x + c, where the digits common to all numbers
    # cancel: [1e16, 1e16 + 2] would come out as noise.
    assert max(map(abs, numbers)) <= 1e8 * span, (
        "the span must be at least 1e-8 of the largest number's size"
    )
