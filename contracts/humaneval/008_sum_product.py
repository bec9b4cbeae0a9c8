"""Any list of integers, the empty one included ("Empty sum should be equal to 0 ...")."""


def precondition(numbers):
    assert type(numbers) is list, "numbers must be a list"
    assert all(type(x) is int for x in numbers), "every element of numbers must be an integer"
    # Python refuses to write out integers of more than 4300 digits (14000 bits are 4215).
    bits = sum(x.bit_length() for x in numbers)
    assert bits <= 14000, "the product must have at most 4300 digits, so that it can be written out"
