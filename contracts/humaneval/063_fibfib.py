"""An index of the sequence, which the prompt starts at 0.

The bound keeps memoised recursion, an efficient method too, inside the recursion limit.
"""


def precondition(n):
    assert type(n) is int and n >= 0, "n must be a non-negative integer"
    assert n <= 300, "n must be at most 300, so that memoised recursion stays within its limit"


# The original recurses three times for every number: correct, but exponential in n, where the
# prompt asks to compute "efficiently".
def fibfib(n):
    first, second, third = 0, 0, 1
    for _ in range(n):
        first, second, third = second, third, first + second + third
    return first
