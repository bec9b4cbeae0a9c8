"""Lists within lists, of integers, floats, bools and strings."""

DEEPEST = 50


def precondition(list1):
    assert type(list1) is list, "list1 must be a list"
    level = list1
    for _ in range(DEEPEST):
        assert all(type(each) in (list, int, float, bool, str) for each in level), (
            "every element must be a list, a string or a number"
        )
        level = [inner for each in level if type(each) is list for inner in each]
        if not any(type(each) is list for each in level):
            return
    raise AssertionError("lists must be at most 50 levels deep, so that recursion finishes")
