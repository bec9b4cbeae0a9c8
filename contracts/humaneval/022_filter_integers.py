"""A list of any Python values, but no bool beside them: in Python True is an int, in words not.

Only the list itself is filtered (as the examples show with [] and {}), so bools may stand deeper.
"""


def precondition(values):
    assert type(values) is list, "values must be a list"
    assert all(type(x) is not bool for x in values), (
        "every element of values must be something other than a bool"
    )
