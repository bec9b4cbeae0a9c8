"""A list of integers and a count, within the limits of the prompt's "Note".

"A positive integer k" and "0 <= k <= len(arr)" differ on k = 0; the note is the exact one, and a
list of length 0 is the only possible answer.
"""


def precondition(arr, k):
    assert type(arr) is list, "arr must be a list"
    assert 1 <= len(arr) <= 1000, "arr must have 1 to 1000 elements"
    assert all(type(x) is int for x in arr), "every element of arr must be an integer"
    assert all(-1000 <= x <= 1000 for x in arr), "every element of arr must be from -1000 to 1000"
    assert type(k) is int and 0 <= k <= len(arr), "k must be an integer from 0 to len(arr)"
