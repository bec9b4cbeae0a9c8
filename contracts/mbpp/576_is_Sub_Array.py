"""Two lists of integers such that it does not matter whether gaps are allowed.

"Sublist" is a run of neighbours to most, and what the reference finds has gaps.
"""


def precondition(A, B):
    for numbers in (A, B):
        assert type(numbers) is list and numbers, "both must be lists of at least one element"
        assert all(type(x) is int for x in numbers), "every element must be an integer"
    rest = iter(A)
    with_gaps = all(x in rest for x in B)
    run = any(A[at : at + len(B)] == B for at in range(len(A) - len(B) + 1))
    assert with_gaps == run, "the answer must be the same whether or not gaps are allowed"
