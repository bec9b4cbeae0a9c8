"""Lists within lists, of integers and of floats small enough that their order does not matter."""

DEEPEST = 50


def precondition(data_list):
    assert type(data_list) is list, "data_list must be a list"
    level = data_list
    for _ in range(DEEPEST):
        numbers = [each for each in level if type(each) is not list]
        level = [inner for each in level if type(each) is list for inner in each]
        for number in numbers:
            is_small = type(number) is float and abs(number) < 1e6
            assert type(number) is int or is_small, (
                "every element must be a list, an integer or a float below a million"
            )
        if not level:
            return
    raise AssertionError("lists must be at most 50 levels deep, so that recursion finishes")
