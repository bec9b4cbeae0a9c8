"""A list of 1 to 100 integers and k from 1 to its length, by the prompt's "Constraints"."""


def precondition(arr, k):
    assert type(arr) is list, "arr must be a list"
    assert 1 <= len(arr) <= 100, "arr must have 1 to 100 elements"
    assert all(type(x) is int for x in arr), "every element of arr must be an integer"
    # Python refuses to write longer integers in decimal, and counting digits may go that way.
    limit = 10**4300
    assert all(-limit < x < limit for x in arr), (
        "every element of arr must have at most 4300 digits"
    )
    assert type(k) is int and 1 <= k <= len(arr), "k must be an integer from 1 to len(arr)"


# The original counts the minus sign as a digit, and so leaves out -10 to -99.
def add_elements(arr, k):
    return sum(x for x in arr[:k] if -99 <= x <= 99)
