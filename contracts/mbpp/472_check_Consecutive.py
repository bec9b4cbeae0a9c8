"""A list of integers that are consecutive as they stand, or in no order.

In [2, 1] the numbers are consecutive, but do not stand so: the prompt does not say which counts.
"""


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list and l, "l must be a list of at least one element"
    assert all(type(x) is int for x in l), "every element of l must be an integer"
    in_order = l == list(range(l[0], l[0] + len(l)))
    in_any_order = max(l) - min(l) == len(l) - 1 == len(set(l)) - 1
    assert in_order == in_any_order, "the answer must be the same whether or not order counts"
