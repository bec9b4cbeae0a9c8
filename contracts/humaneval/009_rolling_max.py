"""Any list of integers; no elements have no maxima to list."""


def precondition(numbers):
    assert type(numbers) is list, "numbers must be a list"
    assert all(type(x) is int for x in numbers), "every element of numbers must be an integer"
