"""A list without bools, which are integers to Python and not to all readers."""


def precondition(list1):
    assert type(list1) is list, "list1 must be a list"
    kinds = (int, float, str, list, tuple, dict, type(None))
    assert all(type(each) in kinds for each in list1), (
        "every element must be a number, a string, a container or None, and no bool"
    )
