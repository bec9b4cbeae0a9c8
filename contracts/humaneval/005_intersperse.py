"""Any list of integers and any integer to put between them."""


def precondition(numbers, delimeter):
    assert type(numbers) is list, "numbers must be a list"
    assert all(type(x) is int for x in numbers), "every element of numbers must be an integer"
    assert type(delimeter) is int, "delimeter must be an integer"
