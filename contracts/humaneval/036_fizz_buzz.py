"""A non-negative integer; the examples show that counting starts at 0, not below."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    # The prompt asks for no fast way: looking at every integer below n has to finish.
    assert n <= 1_000_000, "n must be at most 1000000, so that a plain loop finishes"


# The original looks at every integer, and at every digit of the multiples: 100 ms at the bound.
def fizz_buzz(n):
    def sevens(divisor):
        return str(list(range(0, n, divisor))).count("7")

    return sevens(11) + sevens(13) - sevens(11 * 13)
