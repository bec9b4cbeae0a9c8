"""A "positive integer n", bounded because a plain count meets n**3 / 6 triples."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    # 1.5 million triples: the original, which lists them, takes 150 ms.
    assert n <= 210, "n must be at most 210, so that a plain loop finishes"


# The original lists all triples. Modulo 3, i * i - i + 1 is 0 where i is 2, else 1: a sum of three
# is a multiple of 3 where all are alike.
def get_max_triples(n):
    zeros = (n + 1) // 3
    ones = n - zeros
    return sum(count * (count - 1) * (count - 2) // 6 for count in (zeros, ones))
