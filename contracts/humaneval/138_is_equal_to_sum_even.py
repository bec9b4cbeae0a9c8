"""Any integer up to 100 ("the given number n"), zero and negative ones included."""


def precondition(n):
    assert type(n) is int, "n must be an integer"
    # The words suggest a search for the four numbers: 50**4 steps where there are none.
    assert n <= 100, "n must be at most 100, so that a plain search finishes"
