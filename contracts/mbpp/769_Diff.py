"""Two lists of distinct integers: how often repeated ones come in the difference is open."""


def precondition(li1, li2):
    for numbers in (li1, li2):
        assert type(numbers) is list, "both must be lists"
        assert all(type(x) is int for x in numbers), "every element must be an integer"
        assert len(set(numbers)) == len(numbers), "the elements of a list must differ"
