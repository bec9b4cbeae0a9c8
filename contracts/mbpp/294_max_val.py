"""A list with an integer, and no number of another kind.

"The maximum value in a given heterogeneous list" of the examples is that of its integers: whether
2.5 would count the words do not say.
"""


def precondition(listval):
    assert type(listval) is list, "listval must be a list"
    assert any(type(value) is int for value in listval), "an element must be an integer"
    assert all(type(value) not in (bool, float, complex) for value in listval), (
        "every number must be an integer"
    )
