"""Three lists of one length, as longer ones would have a rest; keys are strings or integers."""


def precondition(l1, l2, l3):
    for each in (l1, l2, l3):
        assert type(each) is list, "all three must be lists"
    assert all(type(x) in (int, str) for x in (*l1, *l2)), (
        "every element of l1 and l2 must be a string or integer"
    )
    assert len(l1) == len(l2) == len(l3), "the lists must be of one length"
