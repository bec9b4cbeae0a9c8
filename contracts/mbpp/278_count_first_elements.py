"""A tuple with a tuple among its elements: "before the tuple element" takes one for granted."""


def precondition(test_tup):
    assert type(test_tup) is tuple, "test_tup must be a tuple"
    assert any(type(each) is tuple for each in test_tup), "an element must be a tuple"
