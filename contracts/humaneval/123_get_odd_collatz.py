"""A "positive integer n" of any size."""


def precondition(n):
    assert type(n) is int and n > 0, "n must be a positive integer"


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
