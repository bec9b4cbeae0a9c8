"""Any "list of integers".

"Two distinct elements in the list" are two places of it: the same wording in task 40, "three
distinct elements in the list", has an example that takes the value 1 from two places. So two zeros
are a pair, as the original and HumanEval+ have it.
"""


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    assert all(type(x) is int for x in l), "every element of l must be an integer"
