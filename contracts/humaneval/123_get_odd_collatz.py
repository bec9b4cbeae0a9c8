"""A "positive integer n"."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert n <= 10**100, "n must be at most 10**100, so that the sequence stays short"


# The original halves with `/`, and loses digits once the numbers exceed 2**53.
def get_odd_collatz(n):
    odd_numbers = []
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            odd_numbers.append(n)
            n = 3 * n + 1
    odd_numbers.append(1)
    return sorted(odd_numbers)
