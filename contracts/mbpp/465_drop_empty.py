"""A dictionary whose values are None or a string that is not empty: what else is empty is open."""


def precondition(dict1):
    assert type(dict1) is dict, "dict1 must be a dictionary"
    assert all(type(key) in (str, int) for key in dict1), "every key must be a string or integer"
    assert all(value is None or (type(value) is str and value) for value in dict1.values()), (
        "every value must be None or a string that is not empty"
    )
