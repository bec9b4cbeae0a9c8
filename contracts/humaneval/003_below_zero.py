"""Any list of integers; with no operations the balance stays at zero, which is not below it."""


def precondition(operations):
    assert type(operations) is list, "operations must be a list"
    assert all(type(x) is int for x in operations), "every element of operations must be an integer"
