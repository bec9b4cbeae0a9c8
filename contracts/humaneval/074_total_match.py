"""Two lists of any strings; lists and strings may be empty."""


def precondition(lst1, lst2):
    assert type(lst1) is list and type(lst2) is list, "lst1 and lst2 must be lists"
    assert all(type(text) is str for text in lst1 + lst2), (
        "every element of lst1 and lst2 must be a string"
    )
