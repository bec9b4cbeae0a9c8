"""Lists within lists, of integers and of floats whose sums are exact in any order."""

DEEPEST = 50


def precondition(data_list):
    assert type(data_list) is list, "data_list must be a list"
    level = data_list
    for _ in range(DEEPEST):
        numbers = [each for each in level if type(each) is not list]
        level = [inner for each in level if type(each) is list for inner in each]
        for number in numbers:
            is_exact = type(number) is float and abs(number) < 1e9 and number * 8 % 1 == 0
            assert type(number) is int or is_exact, (
                "every element must be a list, an integer or a float of at most three binary places"
            )
        if not level:
            return
    raise AssertionError("lists must be at most 50 levels deep, so that recursion finishes")
