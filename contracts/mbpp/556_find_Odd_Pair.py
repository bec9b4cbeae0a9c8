"""A list of integers and its length: the words name no other number."""


def precondition(A, N):
    assert type(A) is list, "A must be a list"
    assert all(type(x) is int for x in A), "every element of A must be an integer"
    assert type(N) is int and len(A) == N, "N must be the length of A"
