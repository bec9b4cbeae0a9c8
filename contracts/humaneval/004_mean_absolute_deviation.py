"""A non-empty list of numbers (none have no mean) whose deviation outweighs rounding errors."""


def precondition(numbers):
    assert type(numbers) is list and numbers, "numbers must be a non-empty list"
    assert all(type(x) in (int, float) for x in numbers), (
        "every element of numbers must be a number"
    )
    # This also turns away NaN and the infinities.
    assert all(abs(x) <= 1e300 for x in numbers), (
        "every element of numbers must be at most 1e300 in size, so that sums are finite"
    )
    largest = float(max(map(abs, numbers)))
    if largest > 1e6 and len(numbers) > 1:
        # The mean of equal numbers need not come out as that number: for large numbers close to
        # each other the deviation would be what the order of summing makes of it.
        mean = sum(x / len(numbers) for x in numbers)
        deviation = sum(abs(x - mean) / len(numbers) for x in numbers)
        assert deviation >= largest / 1000, (
            "numbers above 1e6 must be far apart, or rounding would outweigh the deviation"
        )
