"""Any list of integers; "distinct" means different places, as 1 + -2 + 1 counts in the examples."""


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    assert all(type(x) is int for x in l), "every element of l must be an integer"
