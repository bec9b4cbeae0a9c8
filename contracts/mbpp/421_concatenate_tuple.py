"""A tuple of strings, numbers, bools and None, of any number."""


def precondition(test_tup):
    assert type(test_tup) is tuple, "test_tup must be a tuple"
    for each in test_tup:
        is_short = type(each) is int and abs(each) < 10**4000
        assert is_short or type(each) in (str, float, bool, type(None)), (
            "every element must be a string, a bool, None or a number of at most 4000 digits"
        )
