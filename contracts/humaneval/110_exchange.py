"""Two lists of integers ("to be even" needs them), as "the input lists will be non-empty"."""


def precondition(lst1, lst2):
    for lst in (lst1, lst2):
        assert type(lst) is list, "lst1 and lst2 must be lists"
        assert all(type(x) is int for x in lst), "every element of lst1 and lst2 must be an integer"
        assert lst, "lst1 and lst2 must be non-empty"
