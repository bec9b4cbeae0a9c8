"""A non-negative index: fib(0) = 0 is what fib(2) = fib(1) + fib(0) leaves."""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 300, "n must be at most 300, so that memoised recursion stays within its limit"


# The original recurses twice for every number: correct, but exponential in n.
def fib(n):
    current, following = 0, 1
    for _ in range(n):
        current, following = following, current + following
    return current
