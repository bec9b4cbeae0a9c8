"""A tuple and a list of distinct elements: how often one that comes twice counts is open."""


def precondition(tup, lst):
    assert type(tup) is tuple and type(lst) is list, "tup must be a tuple and lst a list"
    assert all(type(x) in (int, str) for x in (*tup, *lst)), (
        "every element must be a string or integer"
    )
    assert len(set(lst)) == len(lst), "the elements of lst must differ"
