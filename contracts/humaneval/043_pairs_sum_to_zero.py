"""Any list of integers whose answer does not rest on two zeros.

"Two distinct elements" are two places to one reader and two values to another; only zeros, where an
element is its own opposite, tell the readings apart, and no example has two of them.
"""


def precondition(l):  # noqa: E741 - the task's own name
    assert type(l) is list, "l must be a list"
    assert all(type(x) is int for x in l), "every element of l must be an integer"
    values = set(l)
    has_other_pair = any(x and -x in values for x in values)
    assert l.count(0) < 2 or has_other_pair, (
        "the answer must be the same whether or not two zeros are distinct"
    )
