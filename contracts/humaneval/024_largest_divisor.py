"""An integer above 1: nothing smaller than 1 divides it evenly.

Of negative numbers the prompt's "smaller than n" leaves no largest divisor that is plain.
"""


def precondition(n):
    assert type(n) is int and n >= 2, "n must be an integer of at least 2"
    # The prompt asks for no fast way: going down from n one by one has to finish.
    assert n <= 2_000_000, "n must be at most 2000000, so that a plain loop finishes"


# The original goes down from n one by one: 60 ms for a large prime.
def largest_divisor(n):
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return n // divisor
        divisor += 1
    return 1
