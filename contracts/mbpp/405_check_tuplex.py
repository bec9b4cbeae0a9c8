"""A tuple, and an element to look for, without bools: whether True is 1 is open."""


def precondition(tuplex, element):
    assert type(tuplex) is tuple, "tuplex must be a tuple"
    assert all(type(x) in (int, float, str, tuple, list, type(None)) for x in (*tuplex, element)), (
        "element and every element of tuplex must be a number, a string, a tuple, a list or None"
    )
    assert all(x == x for x in (*tuplex, element)), "no element must be NaN"
